/** How much longer a process is warmed up than it is measured: until little is left to compile, in every subject. */
export const warmUpWindows = 4
