/** A caption or an audio description; times in seconds of the video. */
export interface Cue {
  start: number
  end: number
  text: string
}

/** The captions of the loaded video. */
export interface Captions {
  /** They can be switched on. YouTube tells too late whether a video has any. */
  available: boolean
  /** Language tags (BCP 47); empty: unknown, or no captions. */
  languages: readonly string[]
  /** The language of the transcript, and of the captions while they are on. */
  language: string | undefined
  /** All captions of that language in their order; empty: no transcript. */
  transcript: readonly Cue[]
  /** Audio descriptions in their order, as text. */
  descriptions: readonly Cue[]
}

export const noCaptions: Captions = {
  available: false,
  languages: [],
  language: undefined,
  transcript: [],
  descriptions: [],
}

/** The person's choice; without a language the browser's is used. */
export interface CaptionChoice {
  captions: boolean
  language: string | undefined
}

/**
 * The language that fits best: the same tag first, then the same language of another region, for
 * each preference in its order. Without a match it is the first one.
 */
export function pickLanguage(languages: readonly string[], preferences: readonly string[]): string | undefined {
  for (const preference of preferences) {
    const preferred = preference.toLowerCase()
    const match =
      languages.find(language => language.toLowerCase() === preferred) ??
      languages.find(language => primaryLanguage(language) === primaryLanguage(preferred))
    if (match) return match
  }
  return languages[0]
}

const primaryLanguage = (tag: string) => tag.toLowerCase().split('-')[0]

/** The name of a language in that language: `Deutsch`. */
export function nameLanguage(tag: string): string {
  try {
    const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
    return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1)
  } catch {
    return tag
  }
}

/** The index of the last cue that has begun at `position`; -1 before the first. */
export function findLatestCue(cues: readonly Cue[], position: number): number {
  let from = 0
  let to = cues.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (cues[middle]!.start <= position) from = middle + 1
    else to = middle
  }
  return from - 1
}
