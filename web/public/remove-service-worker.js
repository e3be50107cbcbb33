// The gateway serves this file as /service-worker.js while OFFLINE_PAGE is false. It takes the
// place of the service worker in browsers, and removes the stored files and itself.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', event => event.waitUntil(removeEverything()))

async function removeEverything() {
  const names = await caches.keys()
  await Promise.all(names.map(name => caches.delete(name)))
  await self.registration.unregister()
}
