import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

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

const workerName = 'service-worker'
const offlinePage = 'offline.html'

/** Puts the names of the build's files into the service worker, which stores them in browsers. */
function serviceWorkerFiles(): Plugin {
  return {
    name: 'watchline-service-worker-files',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const files = [offlinePage, ...Object.keys(bundle).filter(name => name.startsWith('assets/'))].sort()
        const page = bundle[offlinePage]
        const worker = bundle[`${workerName}.js`]
        if (page?.type !== 'asset' || worker?.type !== 'chunk') throw new Error('the build has no offline page')
        // The other files have a hash of their content in their names.
        const version = createHash('sha256').update(files.join()).update(page.source).digest('hex').slice(0, 16)
        const build = { version, files: files.map(name => `/${name}`) }
        worker.code = worker.code.replace('__BUILD__', () => JSON.stringify(build))
      },
    },
  }
}

const sourceFile = (path: string) => fileURLToPath(new URL(path, import.meta.url))

const entryModules = new Set<string>()
/** These start the client, so they must not be in a file that the offline page loads, too. */
const startModules = ['index.html', 'src/main.tsx'].map(sourceFile)

/** The modules that the sign-in page loads, except those that start it. */
function nameEntryModule(id: string, modules: Pick<Rolldown.PluginContext, 'getModuleInfo'>): string | null {
  const visit = (visited: string) => {
    if (entryModules.has(visited)) return
    entryModules.add(visited)
    modules.getModuleInfo(visited)?.importedIds.forEach(visit)
  }
  visit(sourceFile('index.html'))
  return entryModules.has(id) && !startModules.includes(id) ? 'entry' : null
}

export default defineConfig({
  plugins: [react(), serviceWorkerFiles(), precompressed()],
  resolve: { alias: [{ find: './use-id/use-id.mjs', replacement: sourceFile('src/ui/mantine-use-id.ts') }] },
  build: {
    outDir: 'dist',
    rolldownOptions: {
      input: {
        index: sourceFile('index.html'),
        offline: sourceFile(offlinePage),
        [workerName]: sourceFile('src/service-worker.ts'),
      },
      output: {
        // Browsers look for a new version of the worker at the address of the old one.
        entryFileNames: ({ name }) => (name === workerName ? '[name].js' : 'assets/[name]-[hash].js'),
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
            // The sign-in page stays small: it loads nothing that only screens behind it use.
            { name: nameEntryModule, debugName: 'entry', priority: 10 },
            // Otherwise each module of several screens is a file of its own, dozens for a dashboard.
            { name: 'shared', minShareCount: 3, priority: 5 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://localhost:8080' } },
})
