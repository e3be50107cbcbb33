import { expect, test } from '@jest/globals'
import {
  checkEdit,
  draftFromPlaylist,
  hasChanges,
  rebaseEdit,
} from '../../src/features/playlists/draft/edited-draft.ts'
import { makePlaylist } from '../support/playlists.ts'

const base = draftFromPlaylist(makePlaylist({ title: 'One', description: 'Words' }))

test('an untouched playlist has no changes, even with fractional lengths', () => {
  const playlist = makePlaylist()
  playlist.videos[0]!.duration = 61.237
  const draft = draftFromPlaylist(playlist)
  expect(hasChanges({ base: draft, draft: structuredClone(draft) })).toBe(false)
  expect(checkEdit({ base: draft, draft }, 3)).toEqual({
    ok: true,
    body: { title: playlist.title, description: playlist.description, revision: 3 },
  })
})

test('spaces around a title are no change, a typed length is one', () => {
  expect(hasChanges({ base, draft: { ...base, title: ' One ' } })).toBe(false)
  const [firstVideo, ...otherVideos] = base.videos
  expect(
    hasChanges({ base, draft: { ...base, videos: [{ ...firstVideo!, duration: '59:00' }, ...otherVideos] } }),
  ).toBe(true)
})

test('a rebase adopts newer values, except where the person typed', () => {
  const latest = { ...base, title: 'Two', description: 'Other words' }
  const edit = { base, draft: { ...base, title: 'Mine' } }
  expect(rebaseEdit(edit, latest)).toEqual({
    base: latest,
    draft: { ...latest, title: 'Mine' },
    conflicts: ['title'],
  })
})

test('the same change on both sides is no conflict', () => {
  const changedDraft = { ...base, title: 'Two' }
  const { conflicts, draft } = rebaseEdit({ base, draft: changedDraft }, changedDraft)
  expect(conflicts).toEqual([])
  expect(draft).toEqual(changedDraft)
})

test('a rebase adopts videos that only one side has changed', () => {
  const shortened = { ...base, videos: base.videos.slice(1) }
  expect(rebaseEdit({ base, draft: base }, shortened).draft.videos).toEqual(shortened.videos)
  expect(rebaseEdit({ base, draft: shortened }, { ...base, title: 'Two' })).toMatchObject({
    draft: { title: 'Two', videos: shortened.videos },
    conflicts: [],
  })
})
