import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listAssignees } from '@watchline/contracts/assignments'
import type { ErrorCode } from '@watchline/contracts/errors'
import { listOwnSupervisors, listTeam } from '@watchline/contracts/organisation'
import { getVideoDataStatus, importPlaylist, previewImport } from '@watchline/contracts/playlist-imports'
import { listPlaylists, type Video } from '@watchline/contracts/playlists'
import { HttpResponse } from 'msw'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const address = 'https://www.youtube.com/playlist?list=PLfire'
const makeVideo = (changes: Partial<Video>): Video => ({
  provider: 'youtube',
  id: 'dQw4w9WgXcQ',
  url: null,
  title: 'Extinguishers',
  duration: 65,
  ...changes,
})
const previewAnswer = {
  title: 'Fire safety on YouTube',
  description: 'All there is to know.',
  total_duration: 165,
  videos: [makeVideo({}), makeVideo({ id: 'aaaaaaaaaaa', title: 'Exits', duration: 100, unavailable: true })],
  left_out: 2,
}

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listTeam, [])
  api.answer(listAssignees, [])
  api.answer(listPlaylists, [])
  api.answer(getVideoDataStatus, { status: 'active' })
  api.answer(previewImport, previewAnswer)
})
afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const pressButton = (name: string) => user.click(screen.getByRole('button', { name }))

async function openForm(person = makeUser({ role: 'supervisor' })) {
  renderPlaylistsScreen(person)
  await user.click(await screen.findByRole('button', { name: 'New playlist' }))
  await screen.findByRole('dialog', { name: 'New playlist' })
  await user.click(screen.getByRole('radio', { name: 'Import from YouTube' }))
}

async function lookUp(url = address) {
  await user.click(field('YouTube playlist *'))
  await user.paste(url)
  await user.keyboard('{Enter}')
}

describe('importing from YouTube', () => {
  test('shows a preview, then imports the playlist and opens it', async () => {
    await openForm()
    await lookUp(`  ${address} `)
    const preview = await screen.findByRole('region', { name: 'What YouTube has' })
    expect(api.callsOf(previewImport)[0]?.query).toEqual({ url: address })
    expect(within(preview).getByText('2 videos')).toBeTruthy()
    expect(within(preview).getByText('1:40')).toBeTruthy()
    expect(within(preview).getByText('Cannot be played').closest('li')?.textContent).toContain('Exits')
    expect(within(preview).getByText(/^2 items are left out: private, deleted/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])

    const importedPlaylist = makePlaylist({ title: 'Ours' })
    api.answer(importPlaylist, importedPlaylist)
    await enterText(user, field('Own title'), 'Ours')
    await pressButton('Import Playlist')
    expect(await screen.findByRole('dialog', { name: 'Ours' })).toBeTruthy()
    expect(screen.getByText('You can assign it to your team now.')).toBeTruthy()
    expect(api.callsOf(importPlaylist).map(({ body }) => body)).toEqual([
      { youtube_playlist_url: address, title: 'Ours', description: '' },
    ])
    expect(sessionStorage).toHaveLength(0)
  })

  test('says that an earlier import was read again', async () => {
    const existingPlaylist = makePlaylist()
    api.answer(listPlaylists, [existingPlaylist])
    api.answer(importPlaylist, existingPlaylist)
    await openForm()
    await screen.findByText(existingPlaylist.title)
    await lookUp()
    await screen.findByRole('region', { name: 'What YouTube has' })
    await pressButton('Import Playlist')
    expect(await screen.findByText('Playlist read again')).toBeTruthy()
  })

  test('imports only what was previewed; another address is looked up first', async () => {
    await openForm()
    await lookUp()
    expect(await screen.findByRole('button', { name: 'Import Playlist' })).toBeTruthy()
    await user.type(field('YouTube playlist *'), '2')
    expect(screen.queryByRole('button', { name: 'Import Playlist' })).toBeNull()
    expect(screen.queryByRole('region', { name: 'What YouTube has' })).toBeNull()
    await pressButton('Look Up')
    expect(await screen.findByRole('button', { name: 'Import Playlist' })).toBeTruthy()
    expect(api.callsOf(previewImport).map(({ query }) => query.url)).toEqual([address, `${address}2`])
    expect(api.callsOf(importPlaylist)).toEqual([])
  })

  test('requires an address', async () => {
    await openForm()
    await pressButton('Look Up')
    expect(await screen.findByText('Enter the address of a YouTube playlist')).toBeTruthy()
    expect(document.activeElement).toBe(field('YouTube playlist *'))
    expect(api.callsOf(previewImport)).toEqual([])
  })

  test.each<[ErrorCode, string]>([
    ['invalid', 'This is not the address of a YouTube playlist.'],
    ['not_found', 'YouTube knows no such playlist, or it is private.'],
  ])('reports at the field that the address is no playlist (%s)', async (code, detail) => {
    api.refuse(previewImport, code, detail)
    await openForm()
    await lookUp()
    expect(await screen.findByText(detail)).toBeTruthy()
    expect(field('YouTube playlist *').getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(field('YouTube playlist *'))
    expect(field('YouTube playlist *').value).toBe(address)
  })

  test.each<[ErrorCode, RegExp]>([
    ['video_data_quota', /^The daily YouTube quota is used up\..* Nothing you typed is lost\.$/],
    ['video_data_refused', /^YouTube refused our API key\./],
    ['video_data_failed', /^YouTube could not be read just now\./],
    ['too_slow', /took too long to answer/],
  ])('reports a failed preview (%s), which can be repeated', async (code, text) => {
    api.refuse(previewImport, code)
    await openForm()
    await lookUp()
    expect(await screen.findByText(text)).toBeTruthy()
    api.answer(previewImport, previewAnswer)
    await pressButton('Look Up')
    expect(await screen.findByRole('button', { name: 'Import Playlist' })).toBeTruthy()
    expect(screen.queryByText(text)).toBeNull()
  })

  test('loses nothing if the import itself fails', async () => {
    api.refuse(importPlaylist, 'video_data_quota')
    await openForm()
    await lookUp()
    await enterText(user, await screen.findByLabelText('Own title'), 'Ours')
    await pressButton('Import Playlist')
    expect(await screen.findByText(/^The daily YouTube quota is used up\./)).toBeTruthy()
    expect(field('Own title').value).toBe('Ours')
    expect(screen.getByRole('region', { name: 'What YouTube has' })).toBeTruthy()
    expect(sessionStorage).toHaveLength(1)
  })

  test('without an API key says what to do, and works once there is one', async () => {
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    await openForm()
    expect(await screen.findByText(/no YouTube API key is configured/)).toBeTruthy()
    expect(screen.getByText(/Ask your administrator to set/)).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Look Up' }).disabled).toBe(true)
    expect(await findAccessibilityFaults()).toEqual([])
    api.answer(getVideoDataStatus, { status: 'active' })
    await pressButton('Check Again')
    await waitFor(() => expect(screen.queryByText(/no YouTube API key is configured/)).toBeNull())
    await lookUp()
    expect(await screen.findByRole('button', { name: 'Import Playlist' })).toBeTruthy()
  })

  test('says what to do if the API key was removed meanwhile', async () => {
    await openForm()
    await waitFor(() => expect(api.callsOf(getVideoDataStatus)).toHaveLength(1))
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    api.refuse(previewImport, 'video_data_not_configured')
    await lookUp()
    expect(await screen.findByText(/Ask your administrator to set/)).toBeTruthy()
    expect(field('YouTube playlist *').value).toBe(address)
  })

  test('shows that it takes long, and sends a double click once', async () => {
    let finishImport = () => {}
    const importFinished = new Promise<void>(resolve => {
      finishImport = resolve
    })
    api.answer(importPlaylist, (() =>
      importFinished.then(() => HttpResponse.json(makePlaylist({ title: 'Late' })))) as never)
    await openForm()
    await lookUp()
    await user.dblClick(await screen.findByRole('button', { name: 'Import Playlist' }))
    expect(await screen.findByText(/^Importing from YouTube…/)).toBeTruthy()
    expect(await screen.findByText(/YouTube is slow just now/)).toBeTruthy()
    finishImport()
    expect(await screen.findByRole('dialog', { name: 'Late' })).toBeTruthy()
    expect(api.callsOf(importPlaylist)).toHaveLength(1)
  })

  test('keeps its form apart from the form for a playlist by hand', async () => {
    const supervisor1 = makeUser({ role: 'supervisor' })
    await openForm(supervisor1)
    await user.type(field('YouTube playlist *'), 'abc')
    await user.click(screen.getByRole('radio', { name: 'Build manually' }))
    await enterText(user, field('Title *'), 'By hand')
    await user.click(screen.getByRole('radio', { name: 'Import from YouTube' }))
    expect(field('YouTube playlist *').value).toBe('abc')
    cleanup()
    renderPlaylistsScreen(supervisor1)
    await pressButton('New playlist')
    await waitFor(() => expect(field('YouTube playlist *').value).toBe('abc'))
    await pressButton('Discard draft')
    expect(field('YouTube playlist *').value).toBe('')
    await user.click(screen.getByRole('radio', { name: 'Build manually' }))
    expect(field('Title *').value).toBe('By hand')
  })

  test('of a long playlist shows the first videos, and all on demand', async () => {
    const manyVideos = Array.from({ length: 60 }, (_, index) =>
      makeVideo({ id: `video-${index}`, title: `Part ${index}` }),
    )
    api.answer(previewImport, { ...previewAnswer, videos: manyVideos })
    await openForm()
    await lookUp()
    expect(await screen.findByText('Part 4')).toBeTruthy()
    expect(screen.queryByText('Part 5')).toBeNull()
    await pressButton('Show all 60 videos')
    expect(screen.getByText('Part 59')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('list', { name: 'Videos' }))
  })

  test('lets managers share the playlist afterwards', async () => {
    api.answer(listOwnSupervisors, [])
    const manager1 = makeUser({ role: 'manager' })
    await openForm(manager1)
    await lookUp()
    api.answer(importPlaylist, makePlaylist({ title: 'Ours', created_by: manager1.id }))
    await user.click(await screen.findByRole('button', { name: 'Import Playlist' }))
    const dialog = await screen.findByRole('dialog', { name: 'Ours' })
    expect(within(dialog).getByRole('button', { name: 'Share' })).toBeTruthy()
    expect(screen.getByText('You can share it with your supervisors now.')).toBeTruthy()
  })
})
