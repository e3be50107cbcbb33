import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ErrorCode } from '@watchline/contracts/errors'
import { listOwnSupervisors, listTeam } from '@watchline/contracts/organisation'
import { getVideoDataStatus, importPlaylist, previewImport } from '@watchline/contracts/playlist-imports'
import { listPlaylists, type Video } from '@watchline/contracts/playlists'
import { HttpResponse } from 'msw'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { aPlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = fakeApi()
const user = userEvent.setup()
const address = 'https://www.youtube.com/playlist?list=PLfire'
const video = (changes: Partial<Video>): Video => ({
  provider: 'youtube',
  id: 'dQw4w9WgXcQ',
  url: null,
  title: 'Extinguishers',
  duration: 65,
  ...changes,
})
const found = {
  title: 'Fire safety on YouTube',
  description: 'All there is to know.',
  total_duration: 165,
  videos: [video({}), video({ id: 'aaaaaaaaaaa', title: 'Exits', duration: 100, unavailable: true })],
  left_out: 2,
}

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listTeam, [])
  api.answer(listPlaylists, [])
  api.answer(getVideoDataStatus, { status: 'active' })
  api.answer(previewImport, found)
})
afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const press = (name: string) => user.click(screen.getByRole('button', { name }))

async function openForm(person = aUser({ role: 'supervisor' })) {
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
  test('shows what would come, then imports it and opens it', async () => {
    await openForm()
    await lookUp(`  ${address} `)
    const preview = await screen.findByRole('region', { name: 'What YouTube has' })
    expect(api.callsOf(previewImport)[0]?.query).toEqual({ url: address })
    expect(within(preview).getByText('2 videos')).toBeTruthy()
    expect(within(preview).getByText('1:40')).toBeTruthy()
    expect(within(preview).getByText('Cannot be played').closest('li')?.textContent).toContain('Exits')
    expect(within(preview).getByText(/^2 items are left out: private, deleted/)).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])

    const made = aPlaylist({ title: 'Ours' })
    api.answer(importPlaylist, made)
    await user.type(field('Own title'), 'Ours')
    await press('Import Playlist')
    expect(await screen.findByRole('dialog', { name: 'Ours' })).toBeTruthy()
    expect(screen.getByText('You can assign it to your team now.')).toBeTruthy()
    expect(api.callsOf(importPlaylist).map(({ body }) => body)).toEqual([
      { youtube_playlist_url: address, title: 'Ours', description: '' },
    ])
    expect(sessionStorage).toHaveLength(0)
  })

  test('of a playlist that was imported before says that it was read anew', async () => {
    const known = aPlaylist()
    api.answer(listPlaylists, [known])
    api.answer(importPlaylist, known)
    await openForm()
    await lookUp()
    await screen.findByRole('region', { name: 'What YouTube has' })
    await press('Import Playlist')
    expect(await screen.findByText('Playlist read anew')).toBeTruthy()
  })

  test('imports only what was looked up: another address is looked up first', async () => {
    await openForm()
    await lookUp()
    expect(await screen.findByRole('button', { name: 'Import Playlist' })).toBeTruthy()
    await user.type(field('YouTube playlist *'), '2')
    expect(screen.queryByRole('button', { name: 'Import Playlist' })).toBeNull()
    expect(screen.queryByRole('region', { name: 'What YouTube has' })).toBeNull()
    await press('Look Up')
    expect(await screen.findByRole('button', { name: 'Import Playlist' })).toBeTruthy()
    expect(api.callsOf(previewImport).map(({ query }) => query.url)).toEqual([address, `${address}2`])
    expect(api.callsOf(importPlaylist)).toEqual([])
  })

  test('needs an address', async () => {
    await openForm()
    await press('Look Up')
    expect(await screen.findByText('Enter the address of a YouTube playlist')).toBeTruthy()
    expect(document.activeElement).toBe(field('YouTube playlist *'))
    expect(api.callsOf(previewImport)).toEqual([])
  })

  test.each<[ErrorCode, string]>([
    ['invalid', 'This is not the address of a YouTube playlist.'],
    ['not_found', 'YouTube knows no such playlist, or it is private.'],
  ])('of what is none (%s) says so at the address', async (code, detail) => {
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
  ])('that fails (%s) says why and can be tried again', async (code, words) => {
    api.refuse(previewImport, code)
    await openForm()
    await lookUp()
    expect(await screen.findByText(words)).toBeTruthy()
    api.answer(previewImport, found)
    await press('Look Up')
    expect(await screen.findByRole('button', { name: 'Import Playlist' })).toBeTruthy()
    expect(screen.queryByText(words)).toBeNull()
  })

  test('that fails at the end loses nothing', async () => {
    api.refuse(importPlaylist, 'video_data_quota')
    await openForm()
    await lookUp()
    await user.type(await screen.findByLabelText('Own title'), 'Ours')
    await press('Import Playlist')
    expect(await screen.findByText(/^The daily YouTube quota is used up\./)).toBeTruthy()
    expect(field('Own title').value).toBe('Ours')
    expect(screen.getByRole('region', { name: 'What YouTube has' })).toBeTruthy()
    expect(sessionStorage).toHaveLength(1)
  })

  test('without a key says what to do, and goes on when there is one', async () => {
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    await openForm()
    expect(await screen.findByText(/no YouTube API key is configured/)).toBeTruthy()
    expect(screen.getByText(/Ask your administrator to set/)).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Look Up' }).disabled).toBe(true)
    expect(await accessibilityFaults()).toEqual([])
    api.answer(getVideoDataStatus, { status: 'active' })
    await press('Check Again')
    await waitFor(() => expect(screen.queryByText(/no YouTube API key is configured/)).toBeNull())
    await lookUp()
    expect(await screen.findByRole('button', { name: 'Import Playlist' })).toBeTruthy()
  })

  test('whose key was taken away meanwhile says what to do', async () => {
    await openForm()
    await waitFor(() => expect(api.callsOf(getVideoDataStatus)).toHaveLength(1))
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    api.refuse(previewImport, 'video_data_not_configured')
    await lookUp()
    expect(await screen.findByText(/Ask your administrator to set/)).toBeTruthy()
    expect(field('YouTube playlist *').value).toBe(address)
  })

  test('that takes long shows it, and a double click sends once', async () => {
    let go = () => {}
    const gate = new Promise<void>(resolve => {
      go = resolve
    })
    api.answer(importPlaylist, (() => gate.then(() => HttpResponse.json(aPlaylist({ title: 'Late' })))) as never)
    await openForm()
    await lookUp()
    await user.dblClick(await screen.findByRole('button', { name: 'Import Playlist' }))
    expect(await screen.findByText(/^Importing from YouTube…/)).toBeTruthy()
    expect(await screen.findByText(/YouTube is slow just now/)).toBeTruthy()
    go()
    expect(await screen.findByRole('dialog', { name: 'Late' })).toBeTruthy()
    expect(api.callsOf(importPlaylist)).toHaveLength(1)
  })

  test('and making by hand keep what was typed in each', async () => {
    const supervisor1 = aUser({ role: 'supervisor' })
    await openForm(supervisor1)
    await user.type(field('YouTube playlist *'), 'abc')
    await user.click(screen.getByRole('radio', { name: 'By hand' }))
    await user.type(field('Title *'), 'By hand')
    await user.click(screen.getByRole('radio', { name: 'Import from YouTube' }))
    expect(field('YouTube playlist *').value).toBe('abc')
    cleanup()
    renderPlaylistsScreen(supervisor1)
    await press('New playlist')
    await waitFor(() => expect(field('YouTube playlist *').value).toBe('abc'))
    await press('Discard draft')
    expect(field('YouTube playlist *').value).toBe('')
    await user.click(screen.getByRole('radio', { name: 'By hand' }))
    expect(field('Title *').value).toBe('By hand')
  })

  test('of a long playlist shows the first few, the rest on demand', async () => {
    const many = Array.from({ length: 60 }, (_, index) => video({ id: `video-${index}`, title: `Part ${index}` }))
    api.answer(previewImport, { ...found, videos: many })
    await openForm()
    await lookUp()
    expect(await screen.findByText('Part 4')).toBeTruthy()
    expect(screen.queryByText('Part 5')).toBeNull()
    await press('Show all 60 videos')
    expect(screen.getByText('Part 59')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('list', { name: 'Videos' }))
  })

  test('is for managers, too, who share it', async () => {
    api.answer(listOwnSupervisors, [])
    const manager1 = aUser({ role: 'manager' })
    await openForm(manager1)
    await lookUp()
    api.answer(importPlaylist, aPlaylist({ title: 'Ours', created_by: manager1.id }))
    await user.click(await screen.findByRole('button', { name: 'Import Playlist' }))
    const dialog = await screen.findByRole('dialog', { name: 'Ours' })
    expect(within(dialog).getByRole('button', { name: 'Share' })).toBeTruthy()
    expect(screen.getByText('You can share it with your supervisors now.')).toBeTruthy()
  })
})
