import { doors } from '../../tsup.base.ts'

export default doors('index', 'testing')
