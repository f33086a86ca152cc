export type { TaskToolCode } from './task/codes.ts'
export type { Task, TaskStatus } from './task/task.ts'
export { durableTaskDefinitions, taskDefinitions } from './task/task-definitions.ts'
