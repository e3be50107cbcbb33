export type YouTubeApi = typeof YT

const apiUrl = 'https://www.youtube.com/iframe_api'
const apiTimeoutMs = 20_000

let loading: Promise<YouTubeApi> | undefined

/** Loads the IFrame API once a page. After a failure the next call tries again. */
export function loadYouTubeApi(): Promise<YouTubeApi> {
  loading ??= new Promise<YouTubeApi>((resolve, reject) => {
    const page = window as Window & { YT?: YouTubeApi; onYouTubeIframeAPIReady?: () => void }
    if (page.YT?.Player) {
      resolve(page.YT)
      return
    }
    const timer = setTimeout(() => fail(), apiTimeoutMs)
    const script = document.createElement('script')
    const fail = () => {
      clearTimeout(timer)
      script.remove()
      loading = undefined
      reject(new Error('The YouTube player could not be loaded.'))
    }
    page.onYouTubeIframeAPIReady = () => {
      clearTimeout(timer)
      resolve(page.YT!)
    }
    script.src = apiUrl
    script.async = true
    script.onerror = fail
    document.head.append(script)
  })
  return loading
}
