import { limits } from '@watchline/contracts/limits'
import { type MediaTrack, mediaTracks, tracksUrlOf } from '@watchline/contracts/media'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import { type CaptionChoice, type Captions, type Cue, nameLanguage, noCaptions, pickLanguage } from './captions.ts'

export interface FileCaptions {
  readonly captions: Subscribable<Captions>
  /** Looks for the WebVTT files beside a video. Without them, or if they fail, there are none. */
  load(videoUrl: string): void
  choose(choice: CaptionChoice): void
  destroy(): void
}

type LoadTracks = (videoUrl: string) => Promise<readonly MediaTrack[]>

/**
 * Text tracks of a <video>: the browser reads the files and shows the captions. A file that it
 * cannot read has no captions and causes no message.
 */
export function createFileCaptions(video: HTMLVideoElement, loadTracks: LoadTracks = fetchTracks): FileCaptions {
  const captions = createSubscribable(noCaptions)
  let choice: CaptionChoice = { captions: false, language: undefined }
  let elements: HTMLTrackElement[] = []
  let currentUrl: string | undefined

  function clear(): void {
    for (const element of elements) element.remove()
    elements = []
    captions.set(noCaptions)
  }

  async function load(videoUrl: string): Promise<void> {
    if (videoUrl === currentUrl) return
    currentUrl = videoUrl
    clear()
    const tracks = await loadTracks(videoUrl).catch(() => undefined)
    if (videoUrl !== currentUrl) return
    // The next load of this video tries again.
    if (!tracks) currentUrl = undefined
    elements = (tracks ?? []).map(createTrack)
    video.append(...elements)
    update()
  }

  function createTrack({ kind, language, url }: MediaTrack): HTMLTrackElement {
    const element = document.createElement('track')
    element.kind = kind
    element.srclang = language
    element.label = nameLanguage(language)
    element.addEventListener('load', update)
    element.src = url
    return element
  }

  /** Only tracks that are not disabled are loaded; hidden ones fill the transcript. */
  function update(): void {
    const preferences = [...(choice.language ? [choice.language] : []), ...navigator.languages]
    const ofKind = (kind: MediaTrack['kind']) => elements.filter(element => element.kind === kind)
    const languagesOf = (tracks: HTMLTrackElement[]) => tracks.map(({ srclang }) => srclang)
    const pick = (tracks: HTMLTrackElement[]) => {
      const language = pickLanguage(languagesOf(tracks), preferences)
      return tracks.find(({ srclang }) => srclang === language)
    }
    const caption = pick(ofKind('captions'))
    const description = pick(ofKind('descriptions'))
    for (const element of elements) {
      const mode = element === caption && choice.captions ? 'showing' : 'hidden'
      element.track.mode = element === caption || element === description ? mode : 'disabled'
    }
    captions.set({
      available: caption !== undefined,
      languages: languagesOf(ofKind('captions')),
      language: caption?.srclang,
      transcript: caption ? readCues(caption.track) : [],
      descriptions: description ? readCues(description.track) : [],
    })
  }

  return {
    captions,
    load: videoUrl => void load(videoUrl),
    choose(newChoice) {
      choice = newChoice
      if (elements.length > 0) update()
    },
    destroy() {
      currentUrl = undefined
      clear()
    },
  }
}

async function fetchTracks(videoUrl: string): Promise<readonly MediaTrack[]> {
  const url = tracksUrlOf(videoUrl)
  if (!url) return []
  const answer = await fetch(url, { headers: { accept: 'application/json' } })
  if (answer.status >= 500) throw new Error(`tracks: ${answer.status}`)
  return answer.ok ? mediaTracks.parse(await answer.json()).tracks : []
}

/** The cues as plain text. A file's markup and styles count only in the picture. */
function readCues({ cues }: TextTrack): Cue[] {
  return Array.from(cues ?? [])
    .slice(0, limits.transcriptMaxCues)
    .map(cue => ({
      start: cue.startTime,
      end: cue.endTime,
      text: ((cue as VTTCue).getCueAsHTML().textContent ?? '').replace(/\s+/g, ' ').trim(),
    }))
    .filter(({ text }) => text !== '')
}
