import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { mantineUseId, offlinePage, sourceFile, workerName } from './build/entries.ts'
import { fileGroups } from './build/file-groups.ts'
import { precompressed } from './build/precompressed.ts'
import { preloadScript } from './build/preload-script.ts'
import { serviceWorkerFiles } from './build/service-worker-files.ts'

export default defineConfig({
  plugins: [react(), preloadScript(), serviceWorkerFiles(), precompressed()],
  resolve: { alias: [{ find: './use-id/use-id.mjs', replacement: mantineUseId }] },
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
