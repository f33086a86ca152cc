import type { MediaBlock } from '@looprig/core'
import type { WireApi } from '../codec/wire-codec.ts'
import type { MediaRule } from './transcript-rules.ts'

/** How a protocol takes each kind of media: for a model that is able to read it, and for one that is not. */
export type MediaSupport = {
  readonly [Kind in MediaBlock['type']]: { readonly able: MediaRule; readonly unable: MediaRule }
}

/** Most take no media in an answer, where a model of another provider may have made some. */
const roles = ['user', 'tool'] as const

const nothing: MediaRule = { roles, data: [], text: 'never' }
/** A file of which only the text is sent is no file to the model. */
const textAlone: MediaRule = { roles, data: [], text: 'alone' }

const web = ['https:', 'http:']
const commonImages = ['image/jpeg', 'image/jpg', 'image/png', 'image/gif', 'image/webp']
const waveAndMp3 = ['wav', 'wave', 'x-wav', 'vnd.wave', 'mpeg', 'mp3', 'x-mp3'].map((subtype) => `audio/${subtype}`)
/** Bytes that the encoders send as text. */
const plainText = [
  'text/*',
  'application/json',
  'application/xml',
  'application/x-ndjson',
  'application/yaml',
  'application/x-yaml',
]
const anyType = ['*']

const office = [
  'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
]

/** By URL only what lies with the provider itself: it fetches nothing else from the web. */
const googleUrls = [
  'gs://',
  'https://generativelanguage.googleapis.com/',
  'https://www.youtube.com/',
  'https://youtube.com/',
  'https://youtu.be/',
]
/** What the model made itself goes back in its answers, whatever it is able to read. */
const everywhere = ['user', 'assistant', 'tool'] as const
const geminiImages = {
  data: [...commonImages, 'image/heic', 'image/heif', 'image/avif'],
  url: { prefixes: googleUrls, mediaTypes: ['image/*'] },
  text: 'never',
} as const
const geminiAudio = {
  data: ['audio/*'],
  url: { prefixes: googleUrls, mediaTypes: ['audio/*'] },
  text: 'never',
} as const
const programs = ['x-javascript', 'x-typescript', 'x-python-code', 'x-ipynb+json'].map(
  (subtype) => `application/${subtype}`,
)

/** What the encoders of this package take. */
export const mediaRules: { readonly [Api in WireApi]: MediaSupport } = {
  'anthropic-messages': {
    image: {
      able: { roles, data: commonImages, url: { prefixes: web, mediaTypes: ['image/*'] }, text: 'never' },
      unable: nothing,
    },
    audio: { able: nothing, unable: nothing },
    document: {
      able: {
        roles,
        data: ['application/pdf', ...plainText],
        url: { prefixes: web, mediaTypes: ['application/pdf'] },
        text: 'beside',
      },
      unable: { roles, data: plainText, text: 'alone' },
    },
  },
  'openai-chat': {
    image: {
      able: { roles, data: commonImages, url: { prefixes: web, mediaTypes: ['image/*'] }, text: 'never' },
      unable: nothing,
    },
    audio: { able: { roles, data: waveAndMp3, text: 'never' }, unable: nothing },
    document: { able: { roles, data: anyType, text: 'alone' }, unable: textAlone },
  },
  'openai-responses': {
    image: {
      able: { roles, data: commonImages, url: { prefixes: web, mediaTypes: ['image/*'] }, text: 'never' },
      unable: nothing,
    },
    audio: { able: nothing, unable: nothing },
    document: {
      able: { roles, data: anyType, url: { prefixes: web, mediaTypes: anyType }, text: 'alone' },
      unable: { roles, data: plainText, text: 'beside' },
    },
  },
  gemini: {
    image: { able: { roles: everywhere, ...geminiImages }, unable: { roles: ['assistant'], ...geminiImages } },
    audio: { able: { roles: everywhere, ...geminiAudio }, unable: { roles: ['assistant'], ...geminiAudio } },
    document: {
      able: {
        roles,
        data: ['application/pdf', 'application/json', 'application/rtf', 'text/*', ...programs],
        url: { prefixes: googleUrls, mediaTypes: anyType },
        text: 'beside',
      },
      unable: { roles, data: plainText, text: 'beside' },
    },
  },
  'bedrock-converse': {
    image: { able: { roles, data: commonImages, text: 'never' }, unable: nothing },
    audio: {
      able: {
        roles,
        data: [...waveAndMp3, ...['flac', 'ogg', 'opus', 'aac', 'mp4', 'webm'].map((s) => `audio/${s}`)],
        text: 'never',
      },
      unable: nothing,
    },
    document: {
      able: {
        roles,
        data: ['application/pdf', ...office, ...['csv', 'html', 'plain', 'markdown'].map((s) => `text/${s}`)],
        text: 'beside',
      },
      unable: textAlone,
    },
  },
}
