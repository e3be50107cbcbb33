import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getToday, listAssignments } from '@watchline/contracts/assignments'
import { listTeam, listUsers } from '@watchline/contracts/organisation'
import type { Role } from '@watchline/contracts/people'
import { listPlaylists } from '@watchline/contracts/playlists'
import { PaletteButton } from '../../src/app/palette-button.tsx'
import {
  closeMenus,
  createPlaylist,
  managePerson,
  openMember,
  openPlaylist,
  openTasksMenu,
  startSession,
} from '../../src/ui/frame/frame-commands.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist, makeTask } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const trainee1 = makeUser({ name: 'Trainee One' })
const trainee2 = makeUser({ name: 'Trainee Two', email_verified: false })
const fireSafety = makePlaylist({ title: 'Fire safety for trainees' })
const unsubscribes: (() => void)[] = []
type Command = { subscribe(listener: (payload: unknown) => void): () => void }

beforeEach(() => {
  api.answer(listTeam, [trainee1, trainee2])
  api.answer(listUsers, [trainee1, trainee2])
  const playlists = [fireSafety, makePlaylist({ title: 'Customer calls' })]
  api.answer(listPlaylists, ({ query: { search = '' } }) => playlists.filter(({ title }) => title.includes(search)))
})
afterEach(() => {
  cleanup()
  for (const unsubscribe of unsubscribes.splice(0)) unsubscribe()
})

const onSignOut = jest.fn()
const renderButton = (role: Role, at = '/dashboard') =>
  renderScreen(<PaletteButton person={makeUser({ role })} onSignOut={onSignOut} />, { at })

const pressShortcut = () => fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
const openPalette = async () => {
  pressShortcut()
  return screen.findByRole('combobox')
}
const optionNames = () => screen.getAllByRole('option').map(option => option.textContent)
const activeName = () =>
  document.getElementById(screen.getByRole('combobox').getAttribute('aria-activedescendant') ?? '')?.textContent

test('a supervisor finds a person and a playlist by keyboard alone', async () => {
  const memberOpened = jest.fn()
  const playlistOpened = jest.fn()
  unsubscribes.push(openMember.subscribe(memberOpened), openPlaylist.subscribe(playlistOpened))
  renderButton('supervisor')
  await openPalette()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('combobox')))
  expect(activeName()).toBe("Who's Online")
  await user.paste('train')
  await screen.findByRole('option', { name: /Trainee Two/ })
  const options = [
    `Trainee One${trainee1.email}`,
    `Trainee Two${trainee2.email} (unverified)`,
    'Fire safety for trainees',
  ]
  await waitFor(() => expect(optionNames()).toEqual(options))
  for (const list of [listTeam, listPlaylists])
    expect(api.callsOf(list)).toMatchObject([{ query: { search: 'train' } }])
  expect(await findAccessibilityFaults()).toEqual([])
  await user.keyboard('{ArrowDown}')
  expect(activeName()).toBe(options[1])
  await user.keyboard('{Enter}')
  const { id: user_id, name, email } = trainee2
  await waitFor(() => expect(memberOpened.mock.calls).toEqual([[{ user_id, name, email }]]))

  await openPalette()
  await user.paste('train')
  await screen.findByRole('option', { name: 'Fire safety for trainees' })
  await user.keyboard('{ArrowUp}{Enter}')
  await waitFor(() => expect(playlistOpened.mock.calls).toEqual([[fireSafety]]))
})

test('the button opens screens and actions, and says when nothing is found', async () => {
  onSignOut.mockClear()
  renderButton('manager')
  await user.click(screen.getByRole('button', { name: 'Search and commands' }))
  await user.click(await screen.findByRole('option', { name: 'Team Analytics' }))
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=analytics'))
  await openPalette()
  await user.paste('out sign')
  await waitFor(() => expect(optionNames()[0]).toContain('Trainee'))
  api.answer(listTeam, [])
  await user.clear(screen.getByRole('combobox'))
  await user.paste('zzz')
  expect(await screen.findByText('Nothing found.')).toBeTruthy()
  await user.clear(screen.getByRole('combobox'))
  await user.click(await screen.findByRole('option', { name: 'Sign Out' }))
  await waitFor(() => expect(onSignOut).toHaveBeenCalledTimes(1))
})

test('a trainee starts today’s session, and searches own tasks only', async () => {
  const started = jest.fn()
  unsubscribes.push(startSession.subscribe(started))
  const task = makeTask({ title: 'Fire safety' })
  api.answer(getToday, task)
  api.answer(listAssignments, [task])
  renderButton('user')
  await openPalette()
  await user.click(await screen.findByRole('option', { name: /Start today’s session/ }))
  await waitFor(() => expect(started.mock.calls).toEqual([[task.id]]))
  await openPalette()
  await user.paste('safety')
  const playlists = within(await screen.findByRole('group', { name: 'Playlists' }))
  expect(playlists.getAllByRole('option')).toHaveLength(1)
  expect(api.callsOf(listTeam)).toEqual([])
})

test.each<[Role, string, string[]]>([
  ['supervisor', 'task', ['Tasks at risk', 'Tasks Menu']],
  ['director', 'task', ['Tasks at risk', 'Tasks Menu']],
  ['manager', 'playlist', ['Playlists', 'New playlist', 'Share Playlist']],
  ['manager', 'report', ['Reports']],
  ['admin', 'mail', ['Mails']],
])('a %s finds by "%s" the commands %j', async (role, search, names) => {
  api.answer(listTeam, [])
  api.answer(listUsers, [])
  renderButton(role)
  await openPalette()
  await user.paste(search)
  await waitFor(() => expect(optionNames()).toEqual(names))
})

test('a command opens its dialog, also from another screen', async () => {
  renderButton('supervisor', '/dashboard?page=record')
  await openPalette()
  await user.click(await screen.findByRole('option', { name: 'Tasks Menu' }))
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
  const tasksOpened = jest.fn()
  unsubscribes.push(openTasksMenu.subscribe(tasksOpened))
  expect(tasksOpened).toHaveBeenCalledTimes(1)

  const creationOpened = jest.fn()
  unsubscribes.push(createPlaylist.subscribe(creationOpened))
  await openPalette()
  await user.click(await screen.findByRole('option', { name: 'New playlist' }))
  await waitFor(() => expect(creationOpened).toHaveBeenCalledTimes(1))
})

test.each<[string, string, RegExp, Command]>([
  ['person', 'Two', /Trainee Two/, openMember],
  ['playlist', 'safety', /Fire safety/, openPlaylist],
])('a %s opens also from a screen without a dashboard', async (_case, search, option, command) => {
  renderButton('supervisor', '/dashboard?page=record')
  await openPalette()
  await user.paste(search)
  await user.click(await screen.findByRole('option', { name: option }))
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
  const opened = jest.fn()
  unsubscribes.push(command.subscribe(opened))
  expect(opened).toHaveBeenCalledTimes(1)
})

test('a trainee starts a session from the own record', async () => {
  const task = makeTask({ title: 'Fire safety' })
  api.answer(getToday, task)
  renderButton('user', '/dashboard?page=record')
  await openPalette()
  await user.click(await screen.findByRole('option', { name: /Start today’s session/ }))
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
  const started = jest.fn()
  unsubscribes.push(startSession.subscribe(started))
  expect(started.mock.calls).toEqual([[task.id]])
})

test('the palette closes the menus of the header', async () => {
  const closed = jest.fn()
  unsubscribes.push(closeMenus.subscribe(closed))
  renderButton('supervisor')
  await openPalette()
  expect(closed).toHaveBeenCalledTimes(1)
})

test('an administrator opens a person’s panel, also from another screen', async () => {
  renderButton('admin', '/admin')
  await openPalette()
  await user.paste('Two')
  await user.click(await screen.findByRole('option', { name: /Trainee Two/ }))
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/admin?tab=users'))
  const managed = jest.fn()
  unsubscribes.push(managePerson.subscribe(managed))
  expect(managed.mock.calls).toEqual([[trainee2]])
})

test('the button has the focus again after Escape, also the first time', async () => {
  api.answer(getToday, null)
  renderButton('user')
  const button = await screen.findByRole('button', { name: 'Search and commands' })
  await user.click(button)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('combobox')))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(button))
})

test('in a monitored session neither the button nor the keys exist', () => {
  renderButton('supervisor', '/dashboard?session=p1')
  expect(screen.queryByRole('button', { name: 'Search and commands' })).toBeNull()
  // Not prevented: the key is the browser's own.
  expect(pressShortcut()).toBe(true)
  expect(screen.queryByRole('dialog')).toBeNull()
})
