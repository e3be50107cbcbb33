// A stand-in for https://www.youtube.com/iframe_api: the part of the IFrame Player API that a page can see, with its habits: storms of
// states around a seek, an end that is not always told, videos that may not be embedded (ids that start with "blocked").
;(() => {
  const state = { UNSTARTED: -1, ENDED: 0, PLAYING: 1, PAUSED: 2, BUFFERING: 3, CUED: 5 }
  const duration = 6

  class Player {
    constructor(element, options) {
      const place = typeof element === 'string' ? document.getElementById(element) : element
      this.options = options
      this.frame = document.createElement('iframe')
      this.frame.title = 'YouTube video player'
      this.frame.width = String(options.width ?? 640)
      this.frame.height = String(options.height ?? 360)
      this.frame.className = place.className
      this.frame.id = place.id
      place.replaceWith(this.frame)
      this.state = state.UNSTARTED
      this.position = 0
      this.videos = 0
      window.fakeYouTube = { player: this, options }
      queueMicrotask(() => setTimeout(() => this.tell('onReady'), 20))
      if (options.videoId) this.cueVideoById(options.videoId)
      this.timer = setInterval(() => this.tick(), 100)
    }

    tell(name, data) {
      this.options.events?.[name]?.({ target: this, data })
    }

    become(next) {
      if (this.state === next) return
      this.state = next
      this.tell('onStateChange', next)
    }

    tick() {
      if (this.state !== state.PLAYING) return
      this.position = Math.min(duration, this.position + 0.1 * (window.fakeYouTubeRate ?? 1))
      if (this.position < duration) return
      // The first video's end is never told: it only stops.
      if (this.videos === 1) this.become(state.PAUSED)
      else this.become(state.ENDED)
    }

    take(given, start) {
      const id = typeof given === 'object' ? given.videoId : given
      const at = typeof given === 'object' ? given.startSeconds : start
      this.id = id
      this.videos += 1
      this.position = at ?? 0
      this.become(state.UNSTARTED)
      if (!String(id).startsWith('blocked')) return true
      setTimeout(() => this.tell('onError', 150), 20)
      return false
    }

    loadVideoById(given, start) {
      if (!this.take(given, start)) return
      this.become(state.BUFFERING)
      setTimeout(() => this.become(state.PLAYING), 30)
    }

    cueVideoById(given, start) {
      if (this.take(given, start)) setTimeout(() => this.become(state.CUED), 20)
    }

    playVideo() {
      if (String(this.id).startsWith('blocked')) return
      this.become(state.BUFFERING)
      setTimeout(() => this.become(state.PLAYING), 30)
    }

    pauseVideo() {
      this.become(state.PAUSED)
    }

    stopVideo() {
      this.become(state.UNSTARTED)
    }

    seekTo(seconds) {
      const was = this.state
      this.position = Math.max(0, Math.min(duration, seconds))
      this.become(state.PAUSED)
      this.become(state.BUFFERING)
      setTimeout(() => this.become(was === state.PAUSED ? state.PAUSED : state.PLAYING), 60)
    }

    getCurrentTime() {
      return this.position
    }
    getDuration() {
      return duration
    }
    getPlayerState() {
      return this.state
    }
    getPlaybackRate() {
      return 1
    }
    getVideoLoadedFraction() {
      return 1
    }
    getVideoUrl() {
      return `https://www.youtube.com/watch?v=${this.id}`
    }
    getVideoData() {
      return { video_id: this.id, title: this.id }
    }
    getIframe() {
      return this.frame
    }
    setVolume() {}
    mute() {}
    unMute() {}
    isMuted() {
      return false
    }
    setSize() {}
    addEventListener(name, listener) {
      this.options.events = { ...this.options.events, [name]: listener }
    }
    destroy() {
      clearInterval(this.timer)
      this.frame.remove()
    }
  }

  window.YT = { Player, PlayerState: state, loaded: 1, ready: callback => callback() }
  window.onYouTubeIframeAPIReady?.()
})()
