import { firstScreenLoaded } from '../../api/first-screen.ts'

/**
 * Installs the service worker after the first screen has loaded. It loads all files of the build,
 * which would delay the screen on a slow connection.
 */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return
  void firstScreenLoaded()
    .then(() => navigator.serviceWorker.register('/service-worker.js'))
    .catch(error => console.warn('service worker not installed, offline page is missing', error))
}
