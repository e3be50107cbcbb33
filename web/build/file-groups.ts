import { dirname, join } from 'node:path'
import type { Rolldown } from 'vite'
import { firstScreens, mantineUseId, sourceFile } from './entries.ts'

type Modules = Pick<Rolldown.PluginContext, 'getModuleInfo'>

/** These start the client, so they must not be in a file that the offline page loads, too. */
const startModules = ['index.html', 'src/main.tsx'].map(sourceFile)

type FileGroup = NonNullable<Rolldown.CodeSplittingOptions['groups']>[number]

const libraries = {
  react: /node_modules[\\/](react|react-dom|scheduler|react-router|cookie)[\\/]/,
  interface: /node_modules[\\/](@mantine|@floating-ui|clsx|react-remove-scroll)|mantine-use-id/,
  data: /node_modules[\\/](@reduxjs|react-redux|redux|immer|reselect|zod)[\\/]/,
}

function libraryOf(id: string): string | undefined {
  // The styles of Mantine are in the file of the frame, before ours: a style of ours replaces one
  // of theirs only if it comes later.
  if (id.endsWith('.css')) return undefined
  return Object.entries(libraries).find(([, pattern]) => pattern.test(id))?.[0]
}

/**
 * The contracts of the frame are in several files, because a browser evaluates a file in one task.
 */
const contractFiles: readonly (readonly [name: string, modules: RegExp])[] = [
  ['contracts-groups', /^groups$/],
  ['contracts-people', /^(auth|organisation)$/],
  ['contracts-tasks', /^(assignments|playlists)$/],
  ['contracts-watching', /^(engagement|playback)$/],
  ['contracts-messages', /^(chat|notification)$/],
  // The others import from this one.
  ['contracts', /./],
]

function contractFileOf(id: string): string | null {
  const contract = /shared[\\/]contracts[\\/]src[\\/](.+)\.ts$/.exec(id)?.[1]
  return contractFiles.find(([, modules]) => contract !== undefined && modules.test(contract))?.[0] ?? null
}

/**
 * The parts of the client, each after those that its modules import. The sign-in page loads
 * `entry`, and nothing that only screens behind it use. `frame` has what the trainee's and another
 * first screen use, `staff` what several others use. Then each first screen has a part. Other
 * screens are in `more`.
 */
const parts = ['entry', 'frame', 'staff', 'user', 'supervisor', 'manager', 'admin', 'more'] as const
type Part = (typeof parts)[number]

/** Rolldown puts what a module imports into its file, unless a group before has it. */
export function fileGroups(): FileGroup[] {
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
    // The modules that contracts import from the entry must be in a group before theirs.
    ...namesOf(part => (part === 'entry' ? part : null)),
    {
      name: (id, modules) => (partOf(id, modules) === 'frame' ? contractFileOf(id) : null),
      debugName: 'contracts',
    },
    ...namesOf(part => (part === 'entry' || Object.hasOwn(firstScreens, part) || part === 'more' ? null : part)),
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

/**
 * Whether other screens, too, use a module of one first screen. They do not need the rest of it.
 */
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

/**
 * Of the index modules of Mantine, which export everything, a module imports only what it names.
 */
function importsOf(id: string, modules: Modules): readonly string[] {
  const info = modules.getModuleInfo(id)
  return (info?.importedIds ?? []).flatMap(imported => {
    if (!/@mantine[\\/]\w+[\\/]esm[\\/]index\.mjs$/.test(imported)) return imported
    const index = modules.getModuleInfo(imported)
    const modulesByName = new Map(
      importsIn(index?.code, /"(\.[^"]+)"/).flatMap(({ names, from }) => {
        const module = join(dirname(imported), from)
        return names.map(name => [name, index?.importedIds.includes(module) ? module : mantineUseId] as const)
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
