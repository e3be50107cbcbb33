import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

const compressible = /\.(js|css|html|svg|json|webmanifest)$/
const worthwhileBytes = 1_024

/** Writes `<file>.br` and `<file>.gz` beside every text file of the build, for the gateway to serve as they are. */
function precompressed(): Plugin {
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

export default defineConfig({
  plugins: [react(), precompressed()],
  build: {
    outDir: 'dist',
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Libraries change seldom. Apart from the screens, they stay in the caches of browsers.
          groups: [
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|scheduler|react-router|cookie)[\\/]/,
              priority: 30,
            },
            {
              name: 'interface',
              test: /node_modules[\\/](@mantine|@floating-ui|clsx|react-remove-scroll)/,
              priority: 20,
            },
            {
              name: 'data',
              test: /node_modules[\\/](@reduxjs|react-redux|redux|immer|reselect|zod)[\\/]/,
              priority: 20,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://localhost:8080' } },
})
