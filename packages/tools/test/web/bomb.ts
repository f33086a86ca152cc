import type { Writable } from 'node:stream'
import { createGzip } from 'node:zlib'

/** Compresses a gigabyte of zeros into a stream, piece by piece, until it is closed. */
export function writeGzipBomb(to: Writable): void {
  const zeros = Buffer.alloc(1 << 20)
  const gzip = createGzip({ level: 9 })
  let left = 1024
  const write = () => {
    while (left > 0) {
      left -= 1
      if (!gzip.write(zeros)) return void gzip.once('drain', write)
    }
    gzip.end()
  }
  to.on('close', () => gzip.destroy())
  gzip.on('error', () => undefined).pipe(to)
  write()
}
