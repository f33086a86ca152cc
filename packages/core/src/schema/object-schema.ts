import { isJsonObject } from '../json/json-value.ts'
import { type Fault, faultBelow, Optional, Schema } from './schema.ts'

/** The schemas of all members of T: `exactOptional()` or `optional()` for those that may be absent. */
export type ShapeOf<T> = {
  readonly [K in keyof T]-?: object extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Schema<T[K]>
}

interface Member {
  readonly name: string
  readonly faultOf: Schema<unknown>['faultOf']
  readonly repair: Schema<unknown>['repair']
  readonly isOptional: boolean
  readonly mayBeUndefined: boolean
}

const noObject: Fault = Object.freeze({ path: Object.freeze([]), expected: 'expected an object' })

/**
 * Makes the schema of an object. A shape that forgets a member of its interface, has one too many or reads another type
 * does not compile.
 */
export function objectSchema<T extends object>() {
  return <S extends ShapeOf<T>>(shape: S & { readonly [K in Exclude<keyof S, keyof T>]: never }): Schema<T> => {
    const members = Object.entries<Schema<unknown> | Optional<unknown>>(shape).map(toMember)
    return new Schema<T>({ faultOf: (value) => (isJsonObject(value) ? faultOfMembers(members, value) : noObject) })
  }
}

function toMember([name, part]: [string, Schema<unknown> | Optional<unknown>]): Member {
  const isOptional = part instanceof Optional
  const { faultOf, repair } = isOptional ? part.schema : part
  return { name, faultOf, repair, isOptional, mayBeUndefined: isOptional && part.mayBeUndefined }
}

function faultOfMembers(members: readonly Member[], object: { [key: string]: unknown }): Fault | undefined {
  for (const { name, faultOf, repair, isOptional, mayBeUndefined } of members) {
    const written = object[name]
    if (written === undefined && isOptional && (mayBeUndefined || !Object.hasOwn(object, name))) continue
    const value = repair === undefined ? written : repair(written)
    const fault = faultOf(value)
    if (fault !== undefined) return faultBelow(name, fault)
    if (value !== written) object[name] = value
  }
  return undefined
}
