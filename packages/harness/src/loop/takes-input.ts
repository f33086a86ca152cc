import type { Message } from '@looprig/core'
import type { Model } from '@looprig/inference'

/** Says whether a message holds an image. */
export function holdsImage({ blocks }: Message): boolean {
  return blocks.some(({ type }) => type === 'image')
}

/** Says whether a model can be shown a message: once in history it is part of every later request. */
export function takesMessage(model: Model, message: Message): boolean {
  return model.capabilities?.images === true || !holdsImage(message)
}
