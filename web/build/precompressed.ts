import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = /\.(js|css|html|svg|json|webmanifest)$/
const worthwhileBytes = 1_024

/**
 * Writes `<file>.br` and `<file>.gz` beside every text file of the build, for the gateway to serve
 * as they are.
 */
export function precompressed(): Plugin {
  return {
    name: 'watchline-precompressed',
    apply: 'build',
    enforce: 'post',
    writeBundle: {
      order: 'post',
      async handler({ dir }) {
        if (!dir) return
        const entries = await readdir(dir, { recursive: true, withFileTypes: true })
        const files = entries.filter(entry => entry.isFile() && compressible.test(entry.name))
        await Promise.all(files.map(entry => compress(join(entry.parentPath, entry.name))))
      },
    },
  }
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < worthwhileBytes) return
  const options = {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  }
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(content, options),
    promisify(gzip)(content, { level: 9 }),
  ])
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)])
}
