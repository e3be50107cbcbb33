/** Installs the service worker after the page has loaded, so that it does not delay the page. */
export function registerWorker(): void {
  if (!('serviceWorker' in navigator)) return
  const register = () => {
    navigator.serviceWorker
      .register('/service-worker.js')
      .catch(error => console.warn('service worker not installed, offline page is missing', error))
  }
  if (document.readyState === 'complete') register()
  else window.addEventListener('load', register, { once: true })
}
