import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeam } from '@watchline/contracts/engagement'
import { listTeam } from '@watchline/contracts/organisation'
import { refreshPlaylist } from '@watchline/contracts/playlist-imports'
import { deletePlaylist, getPlaylist, listPlaylists, updatePlaylist } from '@watchline/contracts/playlists'
import { analyticsApi, firstTeamPage } from '../../src/features/analytics/analytics-api.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { aTeam } from '../support/engagement.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { aPlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = fakeApi()
const user = userEvent.setup()
const supervisor1 = aUser({ name: 'Supervisor One', role: 'supervisor' })
const safety = aPlaylist({
  title: 'Fire safety',
  created_by: supervisor1.id,
  revision: 3,
  assigned_users: ['trainee1', 'trainee2'],
  shared_with: [],
})
const imported = aPlaylist({
  title: 'From YouTube',
  created_by: supervisor1.id,
  videos: [
    { provider: 'youtube', id: 'aaaaaaaaaaa', url: null, title: 'One', duration: 60 },
    { provider: 'youtube', id: 'bbbbbbbbbbb', url: null, title: 'Two', duration: 90 },
  ],
  source: { provider: 'youtube', playlist_id: 'PLx', read_at: '2026-11-02T10:00:00.000Z' },
})

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listTeam, [])
  api.answer(listPlaylists, [safety, imported])
})
afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const press = (name: string) => user.click(screen.getByRole('button', { name }))
const opener = (title: string) => screen.findByRole('button', { name: title })

async function open(title: string, person = supervisor1) {
  renderPlaylistsScreen(person)
  await user.click(await opener(title))
  return screen.findByRole('dialog', { name: title })
}

async function edit(title: string) {
  await open(title)
  await press('Edit')
  return screen.findByRole('dialog', { name: `Edit “${title}”` })
}

async function retitle(title: string) {
  await user.clear(field('Title *'))
  await user.type(field('Title *'), title)
}

describe('who may change a playlist', () => {
  test('its maker may', async () => {
    const dialog = await open('Fire safety')
    for (const name of ['Assign', 'Edit', 'Delete']) expect(within(dialog).getByRole('button', { name })).toBeTruthy()
    expect(within(dialog).queryByRole('button', { name: 'Refresh from YouTube' })).toBeNull()
  })

  test('a supervisor assigns what their manager shares, and no more', async () => {
    const dialog = await open('Fire safety', aUser({ role: 'supervisor', manager_id: supervisor1.id }))
    expect(within(dialog).getByText('Shared by your manager')).toBeTruthy()
    expect(within(dialog).getByRole('button', { name: 'Assign' })).toBeTruthy()
    for (const name of ['Edit', 'Delete']) expect(within(dialog).queryByRole('button', { name })).toBeNull()
  })

  test('a director may change any', async () => {
    const dialog = await open('From YouTube', aUser({ role: 'director' }))
    for (const name of ['Edit', 'Refresh from YouTube', 'Delete'])
      expect(within(dialog).getByRole('button', { name })).toBeTruthy()
    expect(within(dialog).queryByText('Shared by your manager')).toBeNull()
  })
})

describe('editing', () => {
  test('sends title, description and the revision it began with, and the videos only when they changed', async () => {
    const dialog = await edit('Fire safety')
    expect(within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Save Changes' }).disabled).toBe(true)
    expect(await accessibilityFaults()).toEqual([])
    await retitle('Fire and smoke')
    const saved = { ...safety, title: 'Fire and smoke', revision: 4 }
    api.answer(updatePlaylist, saved)
    api.answer(listPlaylists, [saved])
    await user.dblClick(screen.getByRole('button', { name: 'Save Changes' }))
    expect(await screen.findByText('Playlist saved')).toBeTruthy()
    expect(await screen.findByRole('dialog', { name: 'Fire and smoke' })).toBeTruthy()
    expect(api.callsOf(updatePlaylist)).toHaveLength(1)
    expect(api.callsOf(updatePlaylist)[0]).toMatchObject({ params: { id: safety.id } })
    expect(api.callsOf(updatePlaylist)[0]?.body).toEqual({
      title: 'Fire and smoke',
      description: safety.description,
      revision: 3,
    })
    expect(sessionStorage).toHaveLength(0)
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Edit' })))
  })

  test('puts the videos in another order, adds and removes', async () => {
    await edit('Fire safety')
    await press('Move Two up')
    await press('Remove One')
    await user.click(field('Add a video'))
    await user.paste('https://youtu.be/ccccccccccc')
    await user.keyboard('{Enter}')
    await user.type(field('Title of video 2'), 'Three')
    await user.type(field('Duration of video 2'), '2:00')
    api.answer(updatePlaylist, { ...safety, revision: 4 })
    await press('Save Changes')
    await screen.findByText('Playlist saved')
    expect(api.callsOf(updatePlaylist)[0]?.body).toMatchObject({
      videos: [
        { provider: 'file', id: 'two', url: '/clips/two.webm', title: 'Two', duration: 305 },
        { provider: 'youtube', id: 'ccccccccccc', title: 'Three', duration: 120 },
      ],
    })
  })

  test('of an imported one leaves the videos to YouTube', async () => {
    const dialog = await edit('From YouTube')
    expect(within(dialog).getByText(/^Its 2 videos come from YouTube\./)).toBeTruthy()
    expect(within(dialog).queryByLabelText('Add a video')).toBeNull()
  })

  test('says at the field what is wrong', async () => {
    await edit('Fire safety')
    await user.clear(field('Title *'))
    await press('Save Changes')
    expect(await screen.findByText('The title is required')).toBeTruthy()
    expect(document.activeElement).toBe(field('Title *'))
    expect(api.callsOf(updatePlaylist)).toEqual([])
  })

  test('what somebody else has changed loads it again and keeps what was typed', async () => {
    await edit('Fire safety')
    await retitle('Mine')
    api.refuse(updatePlaylist, 'edited_elsewhere')
    await press('Save Changes')
    expect(await screen.findByText(/^Somebody changed this meanwhile\..* Nothing you typed is lost\.$/)).toBeTruthy()

    const theirs = { ...safety, title: 'Theirs', description: 'Better words.', revision: 7 }
    api.answer(listPlaylists, [theirs, imported])
    api.answer(getPlaylist, theirs)
    await press('Load It Again')
    expect(await screen.findByText('Changed meanwhile to “Theirs”')).toBeTruthy()
    expect(field('Title *').value).toBe('Mine')
    expect(field('Description').value).toBe('Better words.')
    expect(screen.queryByRole('button', { name: 'Load It Again' })).toBeNull()
    expect(await accessibilityFaults()).toEqual([])

    api.answer(updatePlaylist, { ...theirs, title: 'Mine', revision: 8 })
    await press('Save Changes')
    await screen.findByText('Playlist saved')
    expect(api.callsOf(updatePlaylist)[1]?.body).toEqual({
      title: 'Mine',
      description: 'Better words.',
      revision: 7,
    })
  })

  test('can take what somebody else has made of it', async () => {
    await edit('Fire safety')
    await retitle('Mine')
    api.refuse(updatePlaylist, 'edited_elsewhere')
    await press('Save Changes')
    api.answer(getPlaylist, { ...safety, title: 'Theirs', revision: 7 })
    await user.click(await screen.findByRole('button', { name: 'Load It Again' }))
    await user.click(await screen.findByRole('button', { name: 'Use that title' }))
    expect(field('Title *').value).toBe('Theirs')
    expect(document.activeElement).toBe(field('Title *'))
    expect(screen.queryByText(/^Changed meanwhile/)).toBeNull()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save Changes' }).disabled).toBe(true)
  })

  test('what was deleted meanwhile says so and keeps what was typed', async () => {
    await edit('Fire safety')
    await retitle('Mine')
    api.refuse(updatePlaylist, 'edited_elsewhere')
    await press('Save Changes')
    api.refuse(getPlaylist, 'not_found')
    await user.click(await screen.findByRole('button', { name: 'Load It Again' }))
    expect(await screen.findByText(/^This playlist has been deleted meanwhile\./)).toBeTruthy()
    expect(field('Title *').value).toBe('Mine')
  })

  test.each([
    [() => api.refuse(updatePlaylist, 'conflict', 'Its videos come from YouTube.'), /^Its videos come from YouTube\./],
    [() => api.cut(updatePlaylist), /^The playlist could not be saved\. Please try again\./],
  ])('that fails keeps what was typed', async (fail, words) => {
    fail()
    await edit('Fire safety')
    await retitle('Mine')
    await press('Save Changes')
    expect(await screen.findByText(words)).toBeTruthy()
    expect(field('Title *').value).toBe('Mine')
  })

  test('survives being left, until it is discarded', async () => {
    await edit('Fire safety')
    await retitle('Mine')
    cleanup()
    api.answer(listPlaylists, [{ ...safety, description: 'Newer.', revision: 9 }])
    await edit('Fire safety')
    expect(field('Title *').value).toBe('Mine')
    expect(field('Description').value).toBe('Newer.')
    await press('Discard changes')
    expect(field('Title *').value).toBe('Fire safety')
    expect(sessionStorage).toHaveLength(0)
  })
})

describe('deleting', () => {
  test('says what happens, and only then does it', async () => {
    await open('Fire safety')
    await press('Delete')
    const question = await screen.findByRole('dialog', { name: 'Delete “Fire safety”?' })
    expect(question.textContent).toContain(
      '2 people have it assigned; it leaves their lists. What they have watched stays theirs.',
    )
    expect(await accessibilityFaults()).toEqual([])
    expect(api.callsOf(deletePlaylist)).toEqual([])

    api.answer(deletePlaylist, { success: true })
    api.answer(listPlaylists, [imported])
    await user.dblClick(within(question).getByRole('button', { name: 'Delete Playlist' }))
    expect(await screen.findByText('“Fire safety” is deleted')).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Fire safety' })).toBeNull())
    expect(api.callsOf(deletePlaylist)).toHaveLength(1)
    await waitFor(() => expect(screen.getByRole('main').contains(document.activeElement)).toBe(true))
  })

  test('can be left', async () => {
    await open('Fire safety')
    await press('Delete')
    const question = await screen.findByRole('dialog', { name: 'Delete “Fire safety”?' })
    await user.click(within(question).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Delete/ })).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Delete' })))
    expect(api.callsOf(deletePlaylist)).toEqual([])
  })

  test.each([
    [() => api.refuse(deletePlaylist, 'not_found', 'There is no such playlist.'), 'There is no such playlist.'],
    [() => api.cut(deletePlaylist), 'The playlist could not be deleted. Please try again.'],
  ])('that fails says why', async (fail, words) => {
    fail()
    await open('Fire safety')
    await press('Delete')
    await user.click(await screen.findByRole('button', { name: 'Delete Playlist' }))
    expect(await screen.findByText(words)).toBeTruthy()
  })
})

test.each([
  ['a deletion', 'Fire safety', ['Delete', 'Delete Playlist']],
  ['a refresh', 'From YouTube', ['Refresh from YouTube']],
])('after %s the figures of the team are read anew', async (_name, title, presses) => {
  api.answer(getTeam, aTeam([]))
  api.answer(deletePlaylist, { success: true })
  api.answer(refreshPlaylist, imported)
  const { store } = renderPlaylistsScreen(supervisor1)
  await act(async () => void (await store.dispatch(analyticsApi.endpoints.getTeam.initiate(firstTeamPage))))
  expect(api.callsOf(getTeam)).toHaveLength(1)
  await user.click(await opener(title))
  for (const name of presses) await user.click(await screen.findByRole('button', { name }))
  await waitFor(() => expect(api.callsOf(getTeam)).toHaveLength(2))
})

describe('refreshing from YouTube', () => {
  test('says what came, and marks what cannot be played by a word', async () => {
    const dialog = await open('From YouTube')
    expect(within(dialog).getByText(/^from YouTube, read/)).toBeTruthy()
    const now = new Date().toISOString()
    const after = {
      ...imported,
      revision: 2,
      source: { provider: 'youtube' as const, playlist_id: 'PLx', read_at: now },
      videos: [
        { ...imported.videos[0]!, unavailable: true },
        { ...imported.videos[1]!, title: 'Two, longer', duration: 100 },
        { ...imported.videos[1]!, id: 'ccccccccccc', title: 'Three' },
      ],
    }
    api.answer(refreshPlaylist, after)
    api.answer(listPlaylists, [safety, after])
    await press('Refresh from YouTube')
    expect(await screen.findByText('Read from YouTube just now')).toBeTruthy()
    expect(screen.getByText('1 new video, 1 title or length changed, 1 video can no longer be played.')).toBeTruthy()
    expect(api.callsOf(refreshPlaylist)[0]).toMatchObject({ params: { id: imported.id } })
    expect((await within(dialog).findByText('Cannot be played')).closest('li')?.textContent).toContain('One')
    expect(within(dialog).getByText('Just now')).toBeTruthy()
    expect(await screen.findByText('1 cannot be played')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('that fails leaves it as it was and says why', async () => {
    api.refuse(refreshPlaylist, 'video_data_failed', 'YouTube could not be read just now.')
    const dialog = await open('From YouTube')
    await press('Refresh from YouTube')
    expect(
      await within(dialog).findByText('YouTube could not be read just now. The playlist is as it was.'),
    ).toBeTruthy()
  })
})
