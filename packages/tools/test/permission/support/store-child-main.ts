/** A process that works on a permission file: `add PATH NAME COUNT` or `die PATH STEP`. */
import { openStore } from '../../../src/permission/store/permission-store.ts'

const [role, path = '', name = '', count = '0'] = process.argv.slice(2)

function die(step: string): void {
  if (role === 'die' && step === name) process.kill(process.pid, 'SIGKILL')
}

const store = await openStore({ path }, die)
for (let index = 0; index < Number(count) || index === 0; index += 1) {
  await store.add([{ effect: 'allow', match: { kind: 'exact', command: `${name} ${index}` } }])
}
