/** The most tasks of one loop. */
export const maxTasks = 256
/** The most tasks that one task waits for. */
export const maxBlockers = 128
/** The most bytes of a subject, and of what is shown while a task is in progress. */
export const maxSubjectBytes = 512
/** The most bytes of a description. */
export const maxDescriptionBytes = 16_384
/** The most bytes of a task's metadata as JSON. */
export const maxMetadataBytes = 16_384
/** The most bytes of all tasks as JSON. */
export const maxGraphBytes = 2_097_152
