import { limits } from '@watchline/contracts/limits'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import { type CaptionChoice, type Captions, noCaptions, pickLanguage } from './captions.ts'

/** The part of YouTube's player that shows captions. Its type declarations do not name it. */
interface CaptionModule {
  loadModule?(name: 'captions'): void
  unloadModule?(name: 'captions'): void
  getOption?(module: 'captions', option: 'tracklist'): unknown
  setOption?(module: 'captions', option: 'track', value: { languageCode: string }): void
}

export interface YouTubeCaptions {
  readonly captions: Subscribable<Captions>
  /** Parameters for a new player. */
  playerVars(): { cc_load_policy?: 1; cc_lang_pref?: string }
  /** The player is ready, or its video begins to play. */
  apply(): void
  /** The player may know the languages of its video. */
  readLanguages(): void
  /** Another video is loaded. */
  reset(): void
  choose(choice: CaptionChoice): void
}

/** Switches YouTube's own captions. YouTube gives no texts, so there is no transcript. */
export function createYouTubeCaptions(getPlayer: () => YT.Player | undefined): YouTubeCaptions {
  const captions = createSubscribable(noCaptions)
  let choice: CaptionChoice = { captions: false, language: undefined }
  const findModule = () => getPlayer() as (YT.Player & CaptionModule) | undefined

  function apply(): void {
    const player = findModule()
    if (!player) return
    if (choice.captions) {
      player.loadModule?.('captions')
      const { languages } = captions.get()
      const language = pickLanguage(languages, preferences()) ?? choice.language
      if (language) player.setOption?.('captions', 'track', { languageCode: language })
      captions.set({ ...captions.get(), available: true, language })
    } else {
      player.unloadModule?.('captions')
      captions.set({ ...captions.get(), available: true })
    }
  }

  const preferences = () => [...(choice.language ? [choice.language] : []), ...navigator.languages]

  return {
    captions,
    playerVars: () => ({
      ...(choice.captions && { cc_load_policy: 1 as const }),
      ...(choice.captions && choice.language && { cc_lang_pref: choice.language }),
    }),
    apply,
    readLanguages() {
      const languages = readLanguageCodes(findModule()?.getOption?.('captions', 'tracklist'))
      if (languages.join() === captions.get().languages.join()) return
      captions.set({ ...captions.get(), languages })
      if (choice.captions) apply()
    },
    reset: () => captions.set({ ...noCaptions, available: captions.get().available }),
    choose(newChoice) {
      choice = newChoice
      apply()
    },
  }
}

/** The option is not part of YouTube's documented interface, so it may have any shape. */
function readLanguageCodes(tracks: unknown): string[] {
  if (!Array.isArray(tracks)) return []
  const codes = tracks.map(track => (Object(track) as { languageCode?: unknown }).languageCode)
  return [...new Set(codes.filter(code => typeof code === 'string' && code !== ''))].slice(
    0,
    limits.trackMaxCount,
  ) as string[]
}
