import { createHash } from 'node:crypto'
import { build, type Plugin, type Rolldown } from 'vite'
import { firstScreens, sourceFile } from './entries.ts'

/**
 * Builds src/preload.ts, which knows the files of each first screen, and puts it at the head of the
 * page. The script is one file, so that nothing delays its requests.
 */
export function preloadScript(): Plugin {
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
