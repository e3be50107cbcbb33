import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listAssignees } from '@watchline/contracts/assignments'
import { getTeam } from '@watchline/contracts/engagement'
import { listTeam } from '@watchline/contracts/organisation'
import { refreshPlaylist } from '@watchline/contracts/playlist-imports'
import {
  deletePlaylist,
  dismissUnavailable,
  getPlaylist,
  listPlaylists,
  reportUnavailable,
  updatePlaylist,
} from '@watchline/contracts/playlists'
import { firstTeamFigures, listsApi } from '../../src/api/lists.ts'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeam } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const safety = makePlaylist({
  title: 'Fire safety',
  created_by: supervisor1.id,
  revision: 3,
  assigned_users: ['trainee1', 'trainee2'],
  shared_with: [],
})
const importedPlaylist = makePlaylist({
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
  api.answer(listAssignees, [])
  api.answer(listPlaylists, [safety, importedPlaylist])
})
afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const pressButton = (name: string) => user.click(screen.getByRole('button', { name }))
const findOpener = (title: string) => screen.findByRole('button', { name: title })

async function openPlaylist(title: string, person = supervisor1) {
  renderPlaylistsScreen(person)
  await user.click(await findOpener(title))
  return screen.findByRole('dialog', { name: title })
}

async function openEditor(title: string) {
  await openPlaylist(title)
  await pressButton('Edit')
  return screen.findByRole('dialog', { name: `Edit “${title}”` })
}

async function typeTitle(title: string) {
  await user.clear(field('Title *'))
  await user.type(field('Title *'), title)
}

describe('the actions of a playlist', () => {
  test('are all offered to its creator', async () => {
    const dialog = await openPlaylist('Fire safety')
    for (const name of ['Assign', 'Edit', 'Delete']) expect(within(dialog).getByRole('button', { name })).toBeTruthy()
    expect(within(dialog).queryByRole('button', { name: 'Refresh from YouTube' })).toBeNull()
  })

  test('are limited to assigning for a supervisor with whom the manager shares it', async () => {
    const dialog = await openPlaylist('Fire safety', makeUser({ role: 'supervisor', manager_id: supervisor1.id }))
    expect(within(dialog).getByText('Shared by your manager')).toBeTruthy()
    expect(within(dialog).getByRole('button', { name: 'Assign' })).toBeTruthy()
    for (const name of ['Edit', 'Delete']) expect(within(dialog).queryByRole('button', { name })).toBeNull()
  })

  test('are all offered to a director', async () => {
    const dialog = await openPlaylist('From YouTube', makeUser({ role: 'director' }))
    for (const name of ['Edit', 'Refresh from YouTube', 'Delete'])
      expect(within(dialog).getByRole('button', { name })).toBeTruthy()
    expect(within(dialog).queryByText('Shared by your manager')).toBeNull()
  })
})

describe('editing a playlist', () => {
  test('sends title, description and base revision, and the videos only if they changed', async () => {
    const dialog = await openEditor('Fire safety')
    expect(within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Save Changes' }).disabled).toBe(true)
    expect(await findAccessibilityFaults()).toEqual([])
    await typeTitle('Fire and smoke')
    const savedPlaylist = { ...safety, title: 'Fire and smoke', revision: 4 }
    api.answer(updatePlaylist, savedPlaylist)
    api.answer(listPlaylists, [savedPlaylist])
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

  test('reorders, adds and removes videos', async () => {
    await openEditor('Fire safety')
    await pressButton('Move Two up')
    await pressButton('Remove One')
    await user.click(field('Add a video'))
    await user.paste('https://youtu.be/ccccccccccc')
    await user.keyboard('{Enter}')
    await enterText(user, field('Title of video 2'), 'Three')
    await enterText(user, field('Duration of video 2'), '2:00')
    api.answer(updatePlaylist, { ...safety, revision: 4 })
    await pressButton('Save Changes')
    await screen.findByText('Playlist saved')
    expect(api.callsOf(updatePlaylist)[0]?.body).toMatchObject({
      videos: [
        { provider: 'file', id: 'two', url: '/clips/two.webm', title: 'Two', duration: 305 },
        { provider: 'youtube', id: 'ccccccccccc', title: 'Three', duration: 120 },
      ],
    })
  })

  test('leaves the videos of an imported playlist to YouTube', async () => {
    const dialog = await openEditor('From YouTube')
    expect(within(dialog).getByText(/^Its 2 videos come from YouTube\./)).toBeTruthy()
    expect(within(dialog).queryByLabelText('Add a video')).toBeNull()
  })

  test('reports an error at its field', async () => {
    await openEditor('Fire safety')
    await user.clear(field('Title *'))
    await pressButton('Save Changes')
    expect(await screen.findByText('The title is required')).toBeTruthy()
    expect(document.activeElement).toBe(field('Title *'))
    expect(api.callsOf(updatePlaylist)).toEqual([])
  })

  test('after a conflict loads the newer version and keeps the person’s own text', async () => {
    await openEditor('Fire safety')
    await typeTitle('Mine')
    api.refuse(updatePlaylist, 'edited_elsewhere')
    await pressButton('Save Changes')
    expect(await screen.findByText(/^Somebody changed this meanwhile\..* Nothing you typed is lost\.$/)).toBeTruthy()

    const newerPlaylist = { ...safety, title: 'Theirs', description: 'Better words.', revision: 7 }
    api.answer(listPlaylists, [newerPlaylist, importedPlaylist])
    api.answer(getPlaylist, newerPlaylist)
    await pressButton('Load It Again')
    expect(await screen.findByText('Changed to “Theirs” while you were editing')).toBeTruthy()
    expect(field('Title *').value).toBe('Mine')
    expect(field('Description').value).toBe('Better words.')
    expect(screen.queryByRole('button', { name: 'Load It Again' })).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])

    api.answer(updatePlaylist, { ...newerPlaylist, title: 'Mine', revision: 8 })
    await pressButton('Save Changes')
    await screen.findByText('Playlist saved')
    expect(api.callsOf(updatePlaylist)[1]?.body).toEqual({
      title: 'Mine',
      description: 'Better words.',
      revision: 7,
    })
  })

  test('after a conflict can accept the newer text', async () => {
    await openEditor('Fire safety')
    await typeTitle('Mine')
    api.refuse(updatePlaylist, 'edited_elsewhere')
    await pressButton('Save Changes')
    api.answer(getPlaylist, { ...safety, title: 'Theirs', revision: 7 })
    await user.click(await screen.findByRole('button', { name: 'Load It Again' }))
    await user.click(await screen.findByRole('button', { name: 'Use that title' }))
    expect(field('Title *').value).toBe('Theirs')
    expect(document.activeElement).toBe(field('Title *'))
    expect(screen.queryByText(/^Changed to/)).toBeNull()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save Changes' }).disabled).toBe(true)
  })

  test('keeps the text if the playlist has been deleted meanwhile', async () => {
    await openEditor('Fire safety')
    await typeTitle('Mine')
    api.refuse(updatePlaylist, 'edited_elsewhere')
    await pressButton('Save Changes')
    api.refuse(getPlaylist, 'not_found')
    await user.click(await screen.findByRole('button', { name: 'Load It Again' }))
    expect(await screen.findByText(/^This playlist was deleted while you were editing\./)).toBeTruthy()
    expect(field('Title *').value).toBe('Mine')
  })

  test.each([
    [() => api.refuse(updatePlaylist, 'conflict', 'Its videos come from YouTube.'), /^Its videos come from YouTube\./],
    [() => api.cut(updatePlaylist), /^The playlist could not be saved\. Please try again\./],
  ])('keeps the text after a failure', async (failCall, text) => {
    failCall()
    await openEditor('Fire safety')
    await typeTitle('Mine')
    await pressButton('Save Changes')
    expect(await screen.findByText(text)).toBeTruthy()
    expect(field('Title *').value).toBe('Mine')
  })

  test('survives leaving the dialog, until it is discarded', async () => {
    await openEditor('Fire safety')
    await typeTitle('Mine')
    cleanup()
    api.answer(listPlaylists, [{ ...safety, description: 'Newer.', revision: 9 }])
    await openEditor('Fire safety')
    expect(field('Title *').value).toBe('Mine')
    expect(field('Description').value).toBe('Newer.')
    await pressButton('Discard changes')
    expect(field('Title *').value).toBe('Fire safety')
    expect(sessionStorage).toHaveLength(0)
  })
})

describe('deleting a playlist', () => {
  test('explains the effect and waits for confirmation', async () => {
    await openPlaylist('Fire safety')
    await pressButton('Delete')
    const confirmDialog = await screen.findByRole('dialog', { name: 'Delete “Fire safety”?' })
    expect(confirmDialog.textContent).toContain(
      'It disappears for the 2 people in your team it is assigned to. If a group has it, its members in other teams lose it, too. Watch records are kept.',
    )
    expect(await findAccessibilityFaults()).toEqual([])
    expect(api.callsOf(deletePlaylist)).toEqual([])

    api.answer(deletePlaylist, { success: true })
    api.answer(listPlaylists, [importedPlaylist])
    await user.dblClick(within(confirmDialog).getByRole('button', { name: 'Delete Playlist' }))
    expect(await screen.findByText('“Fire safety” is deleted')).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Fire safety' })).toBeNull())
    expect(api.callsOf(deletePlaylist)).toHaveLength(1)
    await waitFor(() => expect(screen.getByRole('main').contains(document.activeElement)).toBe(true))
  })

  test('can be cancelled', async () => {
    await openPlaylist('Fire safety')
    await pressButton('Delete')
    const confirmDialog = await screen.findByRole('dialog', { name: 'Delete “Fire safety”?' })
    await user.click(within(confirmDialog).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Delete/ })).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Delete' })))
    expect(api.callsOf(deletePlaylist)).toEqual([])
  })

  test.each([
    [() => api.refuse(deletePlaylist, 'not_found', 'There is no such playlist.'), 'There is no such playlist.'],
    [() => api.cut(deletePlaylist), 'The playlist could not be deleted. Please try again.'],
  ])('reports a failure with its reason', async (failCall, text) => {
    failCall()
    await openPlaylist('Fire safety')
    await pressButton('Delete')
    await user.click(await screen.findByRole('button', { name: 'Delete Playlist' }))
    expect(await screen.findByText(text)).toBeTruthy()
  })
})

test.each([
  ['a deletion', 'Fire safety', ['Delete', 'Delete Playlist']],
  ['a refresh', 'From YouTube', ['Refresh from YouTube']],
])('after %s the figures of the team are loaded again', async (_name, title, buttonNames) => {
  api.answer(getTeam, makeTeam([]))
  api.answer(deletePlaylist, { success: true })
  api.answer(refreshPlaylist, importedPlaylist)
  const { store } = renderPlaylistsScreen(supervisor1)
  await act(async () => void (await store.dispatch(listsApi.endpoints.getTeam.initiate(firstTeamFigures))))
  expect(api.callsOf(getTeam)).toHaveLength(1)
  await user.click(await findOpener(title))
  for (const name of buttonNames) await user.click(await screen.findByRole('button', { name }))
  await waitFor(() => expect(api.callsOf(getTeam)).toHaveLength(2))
})

describe('refreshing from YouTube', () => {
  test('summarises the changes and marks videos that cannot be played', async () => {
    const dialog = await openPlaylist('From YouTube')
    expect(within(dialog).getByText(/^from YouTube, read/)).toBeTruthy()
    const now = new Date().toISOString()
    const refreshedPlaylist = {
      ...importedPlaylist,
      revision: 2,
      source: { provider: 'youtube' as const, playlist_id: 'PLx', read_at: now },
      videos: [
        { ...importedPlaylist.videos[0]!, unavailable: true },
        { ...importedPlaylist.videos[1]!, title: 'Two, longer', duration: 100 },
        { ...importedPlaylist.videos[1]!, id: 'ccccccccccc', title: 'Three' },
      ],
    }
    api.answer(refreshPlaylist, refreshedPlaylist)
    api.answer(listPlaylists, [safety, refreshedPlaylist])
    await pressButton('Refresh from YouTube')
    expect(await screen.findByText('Read from YouTube just now')).toBeTruthy()
    expect(screen.getByText('1 new video, 1 title or length changed, 1 video can no longer be played.')).toBeTruthy()
    expect(api.callsOf(refreshPlaylist)[0]).toMatchObject({ params: { id: importedPlaylist.id } })
    expect((await within(dialog).findByText('Cannot be played')).closest('li')?.textContent).toContain('One')
    // Minutes may have passed on a slow machine.
    expect(within(dialog).getByText(/^(just now|\dm ago)$/)).toBeTruthy()
    expect(await screen.findByText('1 cannot be played')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('keeps the playlist after a failure and gives the reason', async () => {
    api.refuse(refreshPlaylist, 'video_data_failed', 'YouTube could not be read just now.')
    const dialog = await openPlaylist('From YouTube')
    await pressButton('Refresh from YouTube')
    expect(
      await within(dialog).findByText('YouTube could not be read just now. The playlist is as it was.'),
    ).toBeTruthy()
  })
})

describe('a video that did not play for somebody', () => {
  const reported = makePlaylist({
    title: 'Reported',
    created_by: supervisor1.id,
    videos: [
      { provider: 'file', id: 'v1', url: '/media/one.webm', title: 'One', duration: 60, reported_by: 2 },
      { provider: 'file', id: 'v2', url: '/media/two.webm', title: 'Two', duration: 90 },
    ],
  })
  beforeEach(() => api.answer(listPlaylists, [reported]))

  test('waits for the decision of staff, who count it as unavailable', async () => {
    const dialog = await openPlaylist('Reported')
    const region = within(dialog).getByRole('region', { name: 'Reported videos' })
    expect(within(region).getAllByRole('listitem')).toHaveLength(1)
    expect(region.textContent).toContain('One')
    expect(region.textContent).toContain('reported by 2 people')
    expect(await findAccessibilityFaults()).toEqual([])
    api.answer(reportUnavailable, { success: true, unavailable: true })
    const [one, two] = reported.videos
    const { reported_by: _, ...decided } = one!
    api.answer(listPlaylists, [{ ...reported, revision: 2, videos: [{ ...decided, unavailable: true }, two!] }])
    await pressButton('Count it as unavailable')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Reported videos' })).toBeNull())
    expect(api.callsOf(reportUnavailable)).toMatchObject([
      { params: { id: reported.id, videoId: 'v1' }, body: { decided: true } },
    ])
  })

  test('or say that it plays; a failure keeps the choice', async () => {
    await openPlaylist('Reported')
    api.refuse(dismissUnavailable, 'unavailable')
    await pressButton('It plays')
    await screen.findByText(/not available right now|could not be saved/)
    const [one, two] = reported.videos
    const { reported_by: _, ...decided } = one!
    const after = { ...reported, videos: [decided, two!] }
    api.answer(dismissUnavailable, after)
    api.answer(listPlaylists, [after])
    await pressButton('It plays')
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Reported videos' })).toBeNull())
  })
})
