import { createHash } from 'node:crypto'
import type { Plugin } from 'vite'
import { offlinePage, workerName } from './entries.ts'

/** Puts the names of the build's files into the service worker, which stores them in browsers. */
export function serviceWorkerFiles(): Plugin {
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
