import { type Build, runWorker, type WorkerScope } from './app/offline/worker.ts'

/** build/service-worker-files.ts puts the files of the build here. */
declare const __BUILD__: Build

runWorker(self as unknown as WorkerScope, __BUILD__)
