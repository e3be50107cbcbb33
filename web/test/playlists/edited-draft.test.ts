import { expect, test } from '@jest/globals'
import { changed, checkEdit, draftOf, rebase } from '../../src/features/playlists/edited-draft.ts'
import { aPlaylist } from '../support/playlists.ts'

const base = draftOf(aPlaylist({ title: 'One', description: 'Words' }))

test('a playlist that was opened and not touched is unchanged, also with lengths in fractions', () => {
  const odd = aPlaylist()
  odd.videos[0]!.duration = 61.237
  const draft = draftOf(odd)
  expect(changed({ base: draft, draft: structuredClone(draft) })).toBe(false)
  expect(checkEdit({ base: draft, draft }, 3)).toEqual({
    ok: true,
    body: { title: odd.title, description: odd.description, revision: 3 },
  })
})

test('spaces around a title change nothing, a typed length does', () => {
  expect(changed({ base, draft: { ...base, title: ' One ' } })).toBe(false)
  const [first, ...rest] = base.videos
  expect(changed({ base, draft: { ...base, videos: [{ ...first!, duration: '59:00' }, ...rest] } })).toBe(true)
})

test('upon a later state what was not touched becomes what it is now, what was typed stays', () => {
  const latest = { ...base, title: 'Two', description: 'Other words' }
  const edit = { base, draft: { ...base, title: 'Mine' } }
  expect(rebase(edit, latest)).toEqual({
    base: latest,
    draft: { ...latest, title: 'Mine' },
    differing: ['title'],
  })
})

test('the same change on both sides differs in nothing', () => {
  const both = { ...base, title: 'Two' }
  const { differing, draft } = rebase({ base, draft: both }, both)
  expect(differing).toEqual([])
  expect(draft).toEqual(both)
})

test('videos that only one side has changed are taken from there', () => {
  const fewer = { ...base, videos: base.videos.slice(1) }
  expect(rebase({ base, draft: base }, fewer).draft.videos).toEqual(fewer.videos)
  expect(rebase({ base, draft: fewer }, { ...base, title: 'Two' })).toMatchObject({
    draft: { title: 'Two', videos: fewer.videos },
    differing: [],
  })
})
