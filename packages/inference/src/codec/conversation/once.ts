/** What is made of an object: once, and kept for as long as the object lives. */
export function once<Key extends object, Made>(kept: WeakMap<Key, Made>, key: Key, make: (key: Key) => Made): Made {
  let made = kept.get(key)
  if (made === undefined) {
    made = make(key)
    kept.set(key, made)
  }
  return made
}
