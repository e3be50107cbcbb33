import { expect, test } from '@jest/globals'
import type { Video } from '@watchline/contracts/playlists'
import fc from 'fast-check'
import { chooseWithinUnits } from '../../src/rules/renewal-units.ts'
import { adoptTexts, removeTexts, type SourceTexts } from '../../src/rules/source-texts.ts'

const readAt = new Date(0)
const word = fc.constantFrom('Safety', 'Ladders', 'Week 3')
const sourceTexts: fc.Arbitrary<SourceTexts> = fc.record({ title: word, description: fc.oneof(word, fc.constant('')) })
/** A change of a playlist: a reading, the removal of old texts, or an edit by a person. */
const step = fc.oneof(
  sourceTexts.map(texts => ({ kind: 'read' as const, texts })),
  fc.constant({ kind: 'remove' as const }),
  fc.record({
    kind: fc.constant('edit' as const),
    // A person's words that no source has.
    texts: fc.record({ title: fc.constant('Our title'), description: fc.constantFrom('Our words', '') }),
  }),
)

test('a person’s words stay through readings and removals, and words of YouTube never outlive a removal', () => {
  fc.assert(
    fc.property(sourceTexts, fc.array(step), (first, steps) => {
      let playlist = {
        ...first,
        source: { youtubePlaylistId: 'PL', readAt, ...first, description: first.description as string | null },
      }
      let edited: SourceTexts | undefined
      for (const next of steps) {
        if (next.kind === 'edit') {
          edited = next.texts
          playlist = { ...playlist, ...edited }
          // An empty description equals an empty one of YouTube, so it may follow it.
          if (edited.description === '' && playlist.source.description === '') return
        } else {
          const change = next.kind === 'read' ? adoptTexts(playlist, next.texts) : removeTexts(playlist)
          playlist = { ...playlist, ...change } as typeof playlist
          if (next.kind === 'remove') expect(JSON.stringify(playlist)).not.toMatch(/Safety|Ladders|Week 3/)
          if (next.kind === 'read' && !edited) expect(playlist).toMatchObject({ ...next.texts, source: next.texts })
        }
        if (edited) expect(playlist).toMatchObject(edited)
      }
    }),
  )
})

test('a run reads the oldest playlists, as many as its units of quota allow', () => {
  const videoCount = fc.integer({ min: 0, max: 500 })
  fc.assert(
    fc.property(fc.array(videoCount, { maxLength: 130 }), fc.integer({ min: 11, max: 120 }), (counts, units) => {
      const playlists = counts.map(length => ({ videos: Array<Video>(length).fill({ provider: 'youtube' } as Video) }))
      const costOf = (chosen: readonly { videos: Video[] }[]) =>
        Math.ceil(chosen.length / 50) + chosen.reduce((sum, { videos }) => sum + Math.ceil(videos.length / 50), 0)
      const chosen = chooseWithinUnits(playlists, units, 50)
      expect(chosen).toEqual(playlists.slice(0, chosen.length))
      expect(costOf(chosen)).toBeLessThanOrEqual(units)
      if (chosen.length < playlists.length) expect(costOf(playlists.slice(0, chosen.length + 1))).toBeGreaterThan(units)
      if (playlists.length > 0) expect(chosen.length).toBeGreaterThan(0)
    }),
  )
})
