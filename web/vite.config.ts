import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin, type Rolldown } from 'vite'

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

/** The modules that the first screen of each role loads with `import()`. */
const firstScreens: Record<string, readonly string[]> = {
  user: ['src/app/page-layout.tsx', 'src/app/dashboard-page.tsx', 'src/app/trainee-page.tsx'],
  supervisor: ['src/app/page-layout.tsx', 'src/app/dashboard-page.tsx', 'src/app/supervisor-page.tsx'],
  director: ['src/app/page-layout.tsx', 'src/app/dashboard-page.tsx', 'src/app/supervisor-page.tsx'],
  manager: ['src/app/page-layout.tsx', 'src/app/dashboard-page.tsx', 'src/app/manager-page.tsx'],
  admin: ['src/app/page-layout.tsx', 'src/app/admin-page.tsx'],
}

/**
 * Builds src/preload.ts, which knows the files of each first screen, and puts it at the head of the
 * page. The script is one file, so that nothing delays its requests.
 */
function preloadScript(): Plugin {
  return {
    name: 'watchline-preload-script',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_options, bundle) {
        const page = bundle['index.html']
        if (page?.type !== 'asset') throw new Error('the build has no index.html')
        const files = Object.fromEntries(
          Object.entries(firstScreens).map(([role, modules]) => [role, filesOf(modules, bundle)]),
        )
        const code = await buildScript(sourceFile('src/preload.ts'), { __FILES__: JSON.stringify(files) })
        const fileName = `assets/preload-${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`
        this.emitFile({ type: 'asset', fileName, source: code })
        const tag = `<script async fetchpriority="high" src="/${fileName}"></script>\n    `
        page.source = String(page.source).replace('<script', () => `${tag}<script`)
      },
    },
  }
}

/** The files that these modules and their static imports are in, except those of every page. */
function filesOf(modules: readonly string[], bundle: Rolldown.OutputBundle): string[] {
  const files = new Set<string>()
  const add = (name: string, to: Set<string>) => {
    const chunk = bundle[name]
    if (chunk?.type !== 'chunk' || to.has(name)) return
    to.add(name)
    for (const css of chunk.viteMetadata?.importedCss ?? []) to.add(css)
    for (const imported of chunk.imports) add(imported, to)
  }
  const nameOf = (module: string) => {
    const chunk = Object.values(bundle).find(
      output => output.type === 'chunk' && output.moduleIds.includes(sourceFile(module)),
    )
    if (!chunk) throw new Error(`${module} is in no file`)
    return chunk.fileName
  }
  const inPage = new Set<string>()
  add(nameOf('index.html'), inPage)
  for (const module of modules) add(nameOf(module), files)
  return [...files].filter(name => !inPage.has(name)).map(name => `/${name}`)
}

/** One classic script without imports. */
async function buildScript(input: string, define: Record<string, string>): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    define,
    build: { write: false, rolldownOptions: { input, output: { format: 'iife' } } },
  })
  const [script] = (result as Rolldown.RolldownOutput).output
  return script.code
}

type Modules = Pick<Rolldown.PluginContext, 'getModuleInfo'>

/** These start the client, so they must not be in a file that the offline page loads, too. */
const startModules = ['index.html', 'src/main.tsx'].map(sourceFile)
/** Replaces a module of Mantine. */
const useIdModule = sourceFile('src/ui/mantine-use-id.ts')

type FileGroup = NonNullable<Rolldown.CodeSplittingOptions['groups']>[number]

const libraries = {
  react: /node_modules[\\/](react|react-dom|scheduler|react-router|cookie)[\\/]/,
  interface: /node_modules[\\/](@mantine|@floating-ui|clsx|react-remove-scroll)|mantine-use-id/,
  data: /node_modules[\\/](@reduxjs|react-redux|redux|immer|reselect|zod)[\\/]/,
}

function libraryOf(id: string): string | undefined {
  // The styles of Mantine are in the file of the frame, before ours: a style of ours replaces one of
  // theirs only if it comes later.
  if (id.endsWith('.css')) return undefined
  return Object.entries(libraries).find(([, pattern]) => pattern.test(id))?.[0]
}

/**
 * The parts of the client, each after those that its modules import. The sign-in page loads `entry`, and
 * nothing that only screens behind it use. `frame` has what the trainee's and another first screen use,
 * `staff` what several others use. Then each first screen has a part. Other screens are in `more`.
 */
const parts = ['entry', 'frame', 'staff', 'user', 'supervisor', 'manager', 'admin', 'more'] as const
type Part = (typeof parts)[number]

/** Rolldown puts what a module imports into its file, unless a group before has it. */
function fileGroups(): FileGroup[] {
  const namesOf = (nameFile: (part: Part, library: string | undefined, isShared: boolean) => string | null) =>
    parts.map(part => ({
      name: (id: string, modules: Modules) =>
        partOf(id, modules) === part ? nameFile(part, libraryOf(id), isSharedWithMore(id, part, modules)) : null,
      debugName: part,
    }))
  const groups: FileGroup[] = [
    // Libraries change seldom. Apart from the screens, they stay in the caches of browsers.
    { name: 'react', test: libraries.react },
    ...namesOf((part, library) => (library === undefined ? null : part === 'frame' ? library : `${library}-${part}`)),
    ...namesOf(part => (Object.hasOwn(firstScreens, part) || part === 'more' ? null : part)),
    ...namesOf((part, _library, isShared) => (isShared ? `${part}-shared` : null)),
    ...namesOf(part => (part === 'more' ? null : part)),
    // Otherwise each module of several screens is a file of its own, dozens for a dialog.
    { name: 'more', minShareCount: 3 },
  ]
  return groups.map((group, index) => ({ ...group, priority: groups.length - index }))
}

let closures: Record<string, ReadonlySet<string>> | undefined

function partOf(id: string, modules: Modules): Part | undefined {
  if (startModules.includes(id)) return undefined
  closures ??= {
    entry: closureOf(['index.html'], modules),
    ...Object.fromEntries(Object.entries(firstScreens).map(([role, roots]) => [role, closureOf(roots, modules)])),
  }
  const { entry, user, supervisor, manager, admin } = closures
  if (entry?.has(id)) return 'entry'
  const staffScreens = [supervisor, manager, admin].filter(screen => screen?.has(id)).length
  if (staffScreens === 3 || (staffScreens > 0 && user?.has(id))) return 'frame'
  if (staffScreens === 2) return 'staff'
  return parts.find(part => closures?.[part]?.has(id)) ?? 'more'
}

/** Whether other screens, too, use a module of one first screen. They do not need the rest of it. */
function isSharedWithMore(id: string, part: Part, modules: Modules): boolean {
  if (!Object.hasOwn(firstScreens, part)) return false
  const importers = modules.getModuleInfo(id)?.importers ?? []
  return importers.some(importer => partOf(importer, modules) === 'more')
}

/** These modules and all that they import, directly or not. */
function closureOf(roots: readonly string[], modules: Modules): ReadonlySet<string> {
  const closure = new Set<string>()
  const visit = (id: string) => {
    if (closure.has(id)) return
    closure.add(id)
    importsOf(id, modules).forEach(visit)
  }
  roots.map(sourceFile).forEach(visit)
  return closure
}

/** Of the index modules of Mantine, which export everything, a module imports only what it names. */
function importsOf(id: string, modules: Modules): readonly string[] {
  const info = modules.getModuleInfo(id)
  return (info?.importedIds ?? []).flatMap(imported => {
    if (!/@mantine[\\/]\w+[\\/]esm[\\/]index\.mjs$/.test(imported)) return imported
    const index = modules.getModuleInfo(imported)
    const modulesByName = new Map(
      importsIn(index?.code, /"(\.[^"]+)"/).flatMap(({ names, from }) => {
        const module = join(dirname(imported), from)
        return names.map(name => [name, index?.importedIds.includes(module) ? module : useIdModule] as const)
      }),
    )
    const named = importsIn(info?.code, /["'](@mantine\/\w+)["']/).flatMap(({ names }) => names)
    return named.flatMap(name => modulesByName.get(name) ?? [])
  })
}

/** The `import { … } from` of a module's code. */
function importsIn(code: string | null | undefined, from: RegExp) {
  const pattern = new RegExp(`import\\s*\\{([^}]+)\\}\\s*from\\s*${from.source}`, 'g')
  return [...(code ?? '').matchAll(pattern)].map(([, names = '', path = '']) => ({
    names: names.split(',').map(name => name.trim().split(' as ')[0]!),
    from: path,
  }))
}

export default defineConfig({
  plugins: [react(), preloadScript(), serviceWorkerFiles(), precompressed()],
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
          groups: fileGroups(),
        },
      },
    },
  },
  server: { proxy: { '/api': 'http://localhost:8080' } },
})
