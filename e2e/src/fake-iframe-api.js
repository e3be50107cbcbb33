// A stand-in for https://www.youtube.com/iframe_api: the part of the IFrame Player API that a page
// can see. It has the original's quirks: many states around a seek, an end that is not always
// reported, and videos that may not be embedded (ids that start with "blocked").
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
      this.rate = 1
      window.fakeYouTube = { player: this, options }
      queueMicrotask(() => setTimeout(() => this.emit('onReady'), 20))
      if (options.videoId) this.cueVideoById(options.videoId)
      this.timer = setInterval(() => this.tick(), 100)
    }

    emit(name, data) {
      this.options.events?.[name]?.({ target: this, data })
    }

    setState(next) {
      if (this.state === next) return
      this.state = next
      this.emit('onStateChange', next)
    }

    tick() {
      if (this.state !== state.PLAYING) return
      this.position = Math.min(duration, this.position + 0.1 * (window.fakeYouTubeRate ?? 1))
      if (this.position < duration) return
      // The first video only pauses at its end. The end itself is not reported.
      if (this.videos === 1) this.setState(state.PAUSED)
      else this.setState(state.ENDED)
    }

    selectVideo(video, startSeconds) {
      const id = typeof video === 'object' ? video.videoId : video
      const start = typeof video === 'object' ? video.startSeconds : startSeconds
      this.id = id
      this.videos += 1
      this.position = start ?? 0
      this.setState(state.UNSTARTED)
      if (!String(id).startsWith('blocked')) return true
      setTimeout(() => this.emit('onError', 150), 20)
      return false
    }

    loadVideoById(video, startSeconds) {
      if (!this.selectVideo(video, startSeconds)) return
      this.setState(state.BUFFERING)
      setTimeout(() => this.setState(state.PLAYING), 30)
    }

    cueVideoById(video, startSeconds) {
      if (this.selectVideo(video, startSeconds)) setTimeout(() => this.setState(state.CUED), 20)
    }

    playVideo() {
      if (String(this.id).startsWith('blocked')) return
      this.setState(state.BUFFERING)
      setTimeout(() => this.setState(state.PLAYING), 30)
    }

    pauseVideo() {
      this.setState(state.PAUSED)
    }

    stopVideo() {
      this.setState(state.UNSTARTED)
    }

    seekTo(seconds) {
      const stateBefore = this.state
      this.position = Math.max(0, Math.min(duration, seconds))
      this.setState(state.PAUSED)
      this.setState(state.BUFFERING)
      setTimeout(() => this.setState(stateBefore === state.PAUSED ? state.PAUSED : state.PLAYING), 60)
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
      return this.rate
    }
    setPlaybackRate(rate) {
      this.rate = rate
    }
    // It has no captions.
    loadModule() {}
    unloadModule() {}
    getOption() {}
    setOption() {}
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
