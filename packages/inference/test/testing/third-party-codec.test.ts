import { describe, it } from 'vitest'
import { plainClient, plainCodec } from '../readme/plain-codec.ts'
import { provePlain } from '../readme/plain-codec-proof.ts'

provePlain({ describe, it }, plainCodec, plainClient)
