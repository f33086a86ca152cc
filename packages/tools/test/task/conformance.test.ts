import { taskDefinitions } from '@looprig/tools/task'
import { runToolConformance } from '@looprig/tools/testing'
import { describe, it } from 'vitest'

const codes = ['task_not_found']
const nobody = '01890a5d-ac96-774b-bcce-b302099a8057'

runToolConformance(
  taskDefinitions(),
  [
    { name: 'TaskCreate', open: () => ({ args: { subject: 'a', description: 'b' } }) },
    { name: 'TaskList', tool: 'TaskList', open: () => ({ args: {} }) },
    {
      name: 'TaskGet of none',
      tool: 'TaskGet',
      fails: 'task_not_found',
      codes,
      open: () => ({ args: { taskId: nobody } }),
    },
    {
      name: 'TaskUpdate of none',
      tool: 'TaskUpdate',
      fails: 'task_not_found',
      codes,
      sentinels: ['SECRET'],
      open: () => ({ args: { taskId: nobody, subject: 'SECRET' } }),
    },
  ],
  { describe, it },
)
