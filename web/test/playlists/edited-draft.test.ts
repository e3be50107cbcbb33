import { expect, test } from '@jest/globals'
import {
  checkEdit,
  draftFromPlaylist,
  hasChanges,
  rebaseEdit,
} from '../../src/features/playlists/draft/edited-draft.ts'
import { aPlaylist } from '../support/playlists.ts'

const base = draftFromPlaylist(aPlaylist({ title: 'One', description: 'Words' }))

test('a playlist that was opened and not touched is unchanged, also with lengths in fractions', () => {
  const odd = aPlaylist()
  odd.videos[0]!.duration = 61.237
  const draft = draftFromPlaylist(odd)
  expect(hasChanges({ base: draft, draft: structuredClone(draft) })).toBe(false)
  expect(checkEdit({ base: draft, draft }, 3)).toEqual({
    ok: true,
    body: { title: odd.title, description: odd.description, revision: 3 },
  })
})

test('spaces around a title change nothing, a typed length does', () => {
  expect(hasChanges({ base, draft: { ...base, title: ' One ' } })).toBe(false)
  const [first, ...rest] = base.videos
  expect(hasChanges({ base, draft: { ...base, videos: [{ ...first!, duration: '59:00' }, ...rest] } })).toBe(true)
})

test('upon a later state what was not touched becomes what it is now, what was typed stays', () => {
  const latest = { ...base, title: 'Two', description: 'Other words' }
  const edit = { base, draft: { ...base, title: 'Mine' } }
  expect(rebaseEdit(edit, latest)).toEqual({
    base: latest,
    draft: { ...latest, title: 'Mine' },
    differing: ['title'],
  })
})

test('the same change on both sides differs in nothing', () => {
  const both = { ...base, title: 'Two' }
  const { differing, draft } = rebaseEdit({ base, draft: both }, both)
  expect(differing).toEqual([])
  expect(draft).toEqual(both)
})

test('videos that only one side has changed are taken from there', () => {
  const fewer = { ...base, videos: base.videos.slice(1) }
  expect(rebaseEdit({ base, draft: base }, fewer).draft.videos).toEqual(fewer.videos)
  expect(rebaseEdit({ base, draft: fewer }, { ...base, title: 'Two' })).toMatchObject({
    draft: { title: 'Two', videos: fewer.videos },
    differing: [],
  })
})
