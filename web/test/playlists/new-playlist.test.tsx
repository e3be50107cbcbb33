import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listTasks } from '@watchline/contracts/assignments'
import { listGroupAssignments } from '@watchline/contracts/group-assignments'
import { listTeam } from '@watchline/contracts/organisation'
import { createPlaylist, listPlaylists, type Playlist, previewMedia } from '@watchline/contracts/playlists'
import { HttpResponse } from 'msw'
import { NewPlaylistForm } from '../../src/features/playlists/create/new-playlist-form.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const onCreated = jest.fn<(playlist: Playlist) => void>()
const readDuration = jest.fn<(url: string) => Promise<number | 'missing' | 'blocked' | undefined>>()

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listGroupAssignments, [])
  onCreated.mockClear()
  readDuration.mockReset().mockResolvedValue(12.01)
})
afterEach(() => {
  cleanup()
  sessionStorage.clear()
})

function renderForm() {
  return renderScreen(
    <NewPlaylistForm
      draftKey="draft"
      nextStep=""
      onCancel={() => {}}
      onCreated={onCreated}
      readDuration={readDuration}
    />,
  )
}

async function addVideo(source: string) {
  await user.click(screen.getByLabelText('Add a video'))
  await user.paste(source)
  await user.keyboard('{Enter}')
}

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const titles = () => screen.getAllByLabelText<HTMLInputElement>(/^Title of video/).map(({ value }) => value)
const submitForm = () => user.click(screen.getByRole('button', { name: 'Create Playlist' }))

async function fillForm() {
  await enterText(user, field('Title *'), 'Fire safety')
  await addVideo('https://youtu.be/dQw4w9WgXcQ')
  await enterText(user, field('Title of video 1'), 'Extinguishers')
  await enterText(user, field('Duration of video 1'), '1:05')
  await addVideo('/clips/exits.webm')
  await waitFor(() => expect(field('Duration of video 2').value).toBe('0:12'))
}

describe('the form for a new playlist', () => {
  test('creates it of YouTube videos and own files, and reads the files’ length', async () => {
    api.answer(createPlaylist, makePlaylist({ id: 'made' }))
    renderForm()
    await fillForm()
    expect(readDuration).toHaveBeenCalledTimes(1)
    expect(screen.getByText('2 videos')).toBeTruthy()
    expect(screen.getByText('Total duration 1:17')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await submitForm()
    await waitFor(() => expect(onCreated).toHaveBeenCalledWith(expect.objectContaining({ id: 'made' })))
    expect(api.callsOf(createPlaylist)[0]?.body).toMatchObject({
      title: 'Fire safety',
      videos: [
        { provider: 'youtube', id: 'dQw4w9WgXcQ', title: 'Extinguishers', duration: 65 },
        { provider: 'file', url: '/clips/exits.webm', title: 'Exits', duration: 12.01 },
      ],
    })
    expect(sessionStorage).toHaveLength(0)
  })

  test('reports what is missing at the fields and focuses the first', async () => {
    renderForm()
    await submitForm()
    expect(await screen.findByText('The title is required')).toBeTruthy()
    expect(screen.getByText('The playlist needs at least one video')).toBeTruthy()
    expect(document.activeElement).toBe(field('Title *'))
    await user.type(field('Title *'), 'x')
    expect(screen.queryByText('The title is required')).toBeNull()
    expect(screen.getByText('The playlist needs at least one video')).toBeTruthy()
    expect(api.callsOf(createPlaylist)).toEqual([])
  })

  test('refuses an address that is no video, and a second copy', async () => {
    renderForm()
    await addVideo('nonsense')
    expect(await screen.findByText(/^This is neither a YouTube video/)).toBeTruthy()
    await user.clear(field('Add a video'))
    await addVideo('dQw4w9WgXcQ')
    await addVideo('https://www.youtube.com/watch?v=dQw4w9WgXcQ')
    expect(await screen.findByText('This video is already in the playlist')).toBeTruthy()
    expect(titles()).toHaveLength(1)
  })

  test('keeps a length that was typed while the file’s length was being read', async () => {
    let resolveDuration = (_seconds: number) => {}
    readDuration.mockReturnValue(
      new Promise(resolve => {
        resolveDuration = resolve
      }),
    )
    renderForm()
    await addVideo('/clips/exits.webm')
    await enterText(user, field('Duration of video 1'), '0:20')
    resolveDuration(12.01)
    await user.type(field('Title of video 1'), '!')
    expect(field('Duration of video 1').value).toBe('0:20')
  })

  test('reads an own file by the address that the server signs, and stores its path', async () => {
    api.answer(previewMedia, { media_url: '/media/~ticket/exits.webm' })
    renderForm()
    await addVideo(`${window.location.origin}/media/exits.webm`)
    await waitFor(() => expect(field('Duration of video 1').value).toBe('0:12'))
    expect(readDuration.mock.calls.map(([address]) => address)).toEqual(['/media/~ticket/exits.webm'])
    expect(api.callsOf(previewMedia)[0]?.query).toEqual({ url: '/media/exits.webm' })
    const link = screen.getByRole('link', { name: '/media/exits.webm' })
    expect(link.getAttribute('href')).toBe('/media/~ticket/exits.webm')
    await enterText(user, field('Title *'), 'Fire safety')
    api.answer(createPlaylist, makePlaylist({ id: 'made' }))
    await submitForm()
    await waitFor(() => expect(api.callsOf(createPlaylist)).toHaveLength(1))
    expect(api.callsOf(createPlaylist)[0]?.body).toMatchObject({ videos: [{ url: '/media/exits.webm' }] })
    expect(JSON.stringify(api.callsOf(createPlaylist)[0]?.body)).not.toContain('~ticket')
  })

  test('asks for a length that could not be read', async () => {
    readDuration.mockResolvedValue(undefined)
    renderForm()
    await addVideo('https://media.example.org/talk.mp4')
    await waitFor(() => expect(field('Duration of video 1').placeholder).toBe('m:ss'))
    await user.type(field('Title *'), 'x')
    await submitForm()
    expect(await screen.findByText('Use m:ss or h:mm:ss, under 24 hours')).toBeTruthy()
    expect(document.activeElement).toBe(field('Duration of video 1'))
  })

  test('refuses a file whose host pages may not load videos from', async () => {
    readDuration.mockResolvedValue('blocked')
    renderForm()
    await user.type(field('Title *'), 'x')
    await addVideo('https://media.example.org/talk.mp4')
    expect(await screen.findByText(/^This video cannot play until its host is allowed/)).toBeTruthy()
    await user.type(field('Duration of video 1'), '0:20')
    await submitForm()
    expect(document.activeElement).toBe(field('Title of video 1'))
    expect(api.callsOf(createPlaylist)).toEqual([])
  })

  test('says that pages may not load HLS streams from this host, of which other files play', async () => {
    readDuration.mockResolvedValue('blocked')
    renderForm()
    await user.type(field('Title *'), 'x')
    await addVideo('https://media.example.org/talk.m3u8')
    expect(await screen.findByText(/^This stream cannot play until its host is allowed/)).toBeTruthy()
    await user.type(field('Duration of video 1'), '0:20')
    api.answer(createPlaylist, makePlaylist({ id: 'made' }))
    await submitForm()
    await waitFor(() => expect(api.callsOf(createPlaylist)).toHaveLength(1))
  })

  test('refuses a file that does not exist, until it is removed', async () => {
    readDuration.mockResolvedValue('missing')
    renderForm()
    await user.type(field('Title *'), 'x')
    await addVideo('/clips/nowhere.webm')
    expect(await screen.findByText(/^There is no video file at this address/)).toBeTruthy()
    await user.type(field('Duration of video 1'), '0:20')
    await submitForm()
    expect(document.activeElement).toBe(field('Title of video 1'))
    expect(api.callsOf(createPlaylist)).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Remove Nowhere' }))
    expect(screen.queryByText(/^There is no video file at this address/)).toBeNull()
  })

  test('links each video, to look at it before it is added for others', async () => {
    renderForm()
    await addVideo('https://youtu.be/dQw4w9WgXcQ')
    const link = screen.getByRole('link', { name: /YouTube dQw4w9WgXcQ/ })
    expect(link.getAttribute('href')).toBe('https://www.youtube.com/watch?v=dQw4w9WgXcQ')
  })

  test('reorders videos by keyboard and keeps the focus', async () => {
    renderForm()
    for (const name of ['a', 'b', 'c']) await addVideo(`/clips/${name}.webm`)
    expect(titles()).toEqual(['A', 'B', 'C'])
    await user.click(screen.getByRole('button', { name: 'Move C up' }))
    expect(titles()).toEqual(['A', 'C', 'B'])
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move C up' }))
    await user.keyboard('{Enter}')
    expect(titles()).toEqual(['C', 'A', 'B'])
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move C down' }))
    expect(screen.getByText('C is now number 1 of 3')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Remove A' }))
    expect(titles()).toEqual(['C', 'B'])
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Remove B' }))
  })

  test('moves videos to either end, and by dragging', async () => {
    renderForm()
    for (const name of ['a', 'b', 'c', 'd']) await addVideo(`/clips/${name}.webm`)
    await user.click(screen.getByRole('button', { name: 'Move D to top' }))
    expect(titles()).toEqual(['D', 'A', 'B', 'C'])
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Move D down' }))
    await user.click(screen.getByRole('button', { name: 'Move A to end' }))
    expect(titles()).toEqual(['D', 'B', 'C', 'A'])

    const rowOf = (position: number) => field(`Title of video ${position}`).closest('li') as HTMLElement
    const handleOf = (position: number) => rowOf(position).querySelector('[draggable]') as HTMLElement
    const dataTransfer = { setData: () => {}, setDragImage: () => {} }
    fireEvent.dragStart(handleOf(1), { dataTransfer })
    fireEvent.dragOver(rowOf(3), { dataTransfer })
    expect(rowOf(3).dataset.dropPlace).toBe('after')
    fireEvent.drop(rowOf(3), { dataTransfer })
    expect(titles()).toEqual(['B', 'C', 'D', 'A'])
    fireEvent.drop(rowOf(1), { dataTransfer })
    expect(titles()).toEqual(['B', 'C', 'D', 'A'])
  })

  test('survives leaving the page, until it is discarded', async () => {
    renderForm()
    await fillForm()
    cleanup()
    renderForm()
    expect(field('Title *').value).toBe('Fire safety')
    expect(titles()).toEqual(['Extinguishers', 'Exits'])
    expect(readDuration).toHaveBeenCalledTimes(1)
    await user.click(screen.getByRole('button', { name: 'Discard draft' }))
    expect(field('Title *').value).toBe('')
    expect(sessionStorage).toHaveLength(0)
  })

  test('shows the server’s refusal at the field, and loses nothing', async () => {
    api.answer(createPlaylist, () =>
      HttpResponse.json(
        {
          detail: 'The request is not valid.',
          code: 'invalid',
          request_id: 'r',
          errors: [{ path: 'videos.1.title', message: 'is known already' }],
        },
        { status: 422 },
      ),
    )
    renderForm()
    await fillForm()
    await submitForm()
    expect(await screen.findByText('The title is known already')).toBeTruthy()
    expect(screen.getByText('The request is not valid. Nothing you typed is lost.')).toBeTruthy()
    expect(document.activeElement).toBe(field('Title of video 2'))
    expect(onCreated).not.toHaveBeenCalled()
    expect(titles()).toEqual(['Extinguishers', 'Exits'])
  })

  test('loses nothing if it cannot be sent', async () => {
    api.cut(createPlaylist)
    renderForm()
    await fillForm()
    await submitForm()
    expect(await screen.findByText(/could not be created\. Please try again\. Nothing you typed is lost/)).toBeTruthy()
    expect(sessionStorage.getItem('draft')).toContain('Extinguishers')
  })
})

describe('after the creation', () => {
  test('the new playlist is shown and can be assigned at once', async () => {
    const createdPlaylist = makePlaylist({ title: 'Fire safety' })
    const trainee1 = makeUser({ name: 'Trainee One' })
    api.answer(listTeam, [trainee1])
    api.answer(listTasks, [])
    api.answer(listPlaylists, [])
    api.answer(createPlaylist, createdPlaylist)
    renderPlaylistsScreen(makeUser({ role: 'supervisor' }))
    await user.click(await screen.findByRole('button', { name: 'New playlist' }))
    await screen.findByRole('dialog', { name: 'New playlist' })
    await enterText(user, field('Title *'), 'Fire safety')
    await addVideo('dQw4w9WgXcQ')
    await enterText(user, field('Title of video 1'), 'Extinguishers')
    await enterText(user, field('Duration of video 1'), '1:05')
    api.answer(listPlaylists, [createdPlaylist])
    await submitForm()
    const dialog = await screen.findByRole('dialog', { name: 'Fire safety' })
    await user.click(within(dialog).getByRole('button', { name: 'Assign' }))
    const assignDialog = await screen.findByRole('dialog', { name: 'Assign “Fire safety”' })
    expect(await within(assignDialog).findByRole('checkbox', { name: /Trainee One/ })).toBeTruthy()
  })
})
