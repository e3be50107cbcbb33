import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { limits } from '@watchline/contracts/limits'
import { listUsers } from '@watchline/contracts/organisation'
import {
  applyImport,
  checkImport,
  createImport,
  getImport,
  type PeopleImport as PeopleImportState,
  uploadImportPart,
} from '@watchline/contracts/people-imports'
import { adminApi } from '../../src/features/admin/admin-api.ts'
import { PeopleImport } from '../../src/features/admin/import/people-import.tsx'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

// Before the faked API goes: what still polls would ask in vain.
afterEach(() => {
  cleanup()
  window.sessionStorage.clear()
  window.matchMedia = wide
})
const api = fakeApi()
const user = userEvent.setup()
const wide = window.matchMedia
const savedFiles: Blob[] = []

beforeEach(() => {
  setXsrfCookie('there')
  savedFiles.length = 0
  URL.createObjectURL = blob => `blob:saved-${savedFiles.push(blob as Blob)}`
  URL.revokeObjectURL = () => {}
})
const nobody = { user: 0, supervisor: 0, manager: 0, director: 0 }
const counts = { user: 9_800, supervisor: 180, manager: 15, director: 5 }

function anImport(changes: Partial<PeopleImportState> = {}): PeopleImportState {
  return {
    id: 'import-1',
    file_name: 'people.csv',
    created_at: '2026-11-20T10:00:00.000Z',
    status: 'checking',
    progress: { done: 0, total: 0 },
    counts: nobody,
    problem_count: 0,
    problems: [],
    ...changes,
  }
}

/** The server's import; what it is from now on. */
function importIs(changes: Partial<PeopleImportState>) {
  api.answer(getImport, anImport(changes))
}

function acceptUpload() {
  api.answer(createImport, { success: true, import: anImport({ status: 'uploading' }) })
  api.answer(uploadImportPart, { success: true, import: anImport({ status: 'uploading' }) })
  api.answer(checkImport, { success: true, import: anImport() })
}

const start = '/admin?tab=users&view=import'
const open = (more = '') => renderScreen(<PeopleImport />, { at: start + more })
const openKnown = () => open('&import=import-1')
const address = () => screen.getByTestId('address').textContent
const fileField = () => screen.getByLabelText(/Choose a CSV file/)
/** jsdom's files cannot be read. */
const csv = (text: string, name = 'people.csv') =>
  Object.assign(new File([text], name, { type: 'text/csv' }), {
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  })
const people = csv('email,role\ntrainee1@example.org,user\n')
const currentStep = () =>
  within(screen.getByRole('list', { name: 'Steps' }))
    .getAllByRole('listitem')
    .find(item => item.getAttribute('aria-current') === 'step')?.textContent

describe('choosing a file', () => {
  test('says what the file is like, with an example and a template', async () => {
    open()
    expect(screen.getByRole('heading', { name: 'Choose a file' })).toBeTruthy()
    for (const column of ['email', 'name', 'role', 'supervisor_email', 'manager_email'])
      expect(screen.getByText(column)).toBeTruthy()
    expect(screen.getByText('supervisor1@example.org,Supervisor 1,supervisor,,manager1@example.org')).toBeTruthy()
    const template = screen.getByRole('link', { name: 'Download a template' })
    await waitFor(() => expect(template.getAttribute('href')).toBe('blob:saved-1'))
    expect(template.getAttribute('download')).toBe('people-template.csv')
    expect(await textOf(savedFiles[0])).toMatch(/^email,name,role,supervisor_email,manager_email\r\nmanager1@/)
    expect(await accessibilityFaults()).toEqual([])
  })

  test('uploads it, begins the dry run and stands in the address', async () => {
    acceptUpload()
    importIs({ progress: { done: 0, total: 1 } })
    open()
    await user.upload(fileField(), people)
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
    expect(api.callsOf(createImport)[0]?.body).toEqual({ file_name: 'people.csv', parts: 1 })
    expect(api.callsOf(uploadImportPart)[0]).toMatchObject({
      params: { id: 'import-1', part: '0' },
      body: { text: 'email,role\ntrainee1@example.org,user\n' },
    })
    await waitFor(() => expect(address()).toBe(`${start}&import=import-1`))
  })

  test('works by dropping it, too', async () => {
    acceptUpload()
    importIs({})
    open()
    const area = screen.getByText('or drop it here')
    fireEvent.dragOver(area)
    fireEvent.drop(area, { dataTransfer: { files: [people] } })
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
  })

  test('takes one file at a time', async () => {
    open()
    fireEvent.drop(screen.getByText('or drop it here'), { dataTransfer: { files: [people, people] } })
    expect((await screen.findByRole('alert')).textContent).toBe('Choose one file at a time.')
  })

  test('says at once what cannot be a file of people', async () => {
    open()
    await user.upload(fileField(), csv(' \n', 'nothing.csv'))
    expect(await screen.findByText('nothing.csv: This file is empty.')).toBeTruthy()
    expect(fileField().getAttribute('aria-invalid')).toBe('true')
    expect(api.callsOf(createImport)).toEqual([])
    expect(await accessibilityFaults()).toEqual([])
  })
})

describe('the upload', () => {
  const large = csv('x'.repeat(limits.importPartCharacters * 2 + 1))

  test('goes part by part, in order', async () => {
    acceptUpload()
    importIs({})
    open()
    await user.upload(fileField(), large)
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
    expect(api.callsOf(createImport)[0]?.body).toEqual({ file_name: 'people.csv', parts: 3 })
    expect(api.callsOf(uploadImportPart).map(({ params }) => params.part)).toEqual(['0', '1', '2'])
    expect(api.callsOf(uploadImportPart)[2]?.body).toEqual({ text: 'x' })
  })

  test('that breaks off is said, and goes on where it was', async () => {
    acceptUpload()
    importIs({})
    let broken = true
    api.answer(uploadImportPart, ({ params }) => {
      if (params.part === '1' && broken) return refusal('conflict', 'Not now')
      return { success: true as const, import: anImport({ status: 'uploading' }) }
    })
    open()
    await user.upload(fileField(), large)
    expect(await screen.findByText('people.csv could not be uploaded.')).toBeTruthy()
    expect(screen.getByText(/Nothing was imported/)).toBeTruthy()
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('33')
    expect(await accessibilityFaults()).toEqual([])
    broken = false
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
    expect(api.callsOf(createImport)).toHaveLength(1)
    expect(api.callsOf(uploadImportPart).map(({ params }) => params.part)).toEqual(['0', '1', '1', '2'])
  })

  test('survives a moment without connection by itself', async () => {
    acceptUpload()
    importIs({})
    let tries = 0
    api.answer(uploadImportPart, () => {
      tries += 1
      return tries === 1 ? Response.error() : { success: true as const, import: anImport({ status: 'uploading' }) }
    })
    open()
    await user.upload(fileField(), people)
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
    expect(tries).toBe(2)
  })

  test('can be cancelled, and nothing has happened', async () => {
    acceptUpload()
    api.cut(uploadImportPart)
    open()
    await user.upload(fileField(), people)
    await waitFor(() => expect(api.callsOf(uploadImportPart)).toHaveLength(1))
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.getByRole('heading', { name: 'Choose a file' })).toBeTruthy()
    expect(address()).toBe(start)
  })

  test('a dry run that was begun although its answer was lost is followed', async () => {
    acceptUpload()
    api.refuse(checkImport, 'conflict')
    importIs({ status: 'checked', counts })
    open()
    await user.upload(fileField(), people)
    expect(await screen.findByRole('heading', { name: '10,000 people can be brought in' })).toBeTruthy()
  })
})

describe('the dry run', () => {
  test('shows how far it is until it is done, also after a reload', async () => {
    importIs({ progress: { done: 2_500, total: 10_000 } })
    openKnown()
    const bar = await screen.findByRole('progressbar', { name: 'Checking people.csv' })
    expect(bar.getAttribute('aria-valuenow')).toBe('25')
    expect(bar.getAttribute('aria-valuetext')).toBe('2,500 of 10,000 lines')
    expect(currentStep()).toContain('Check it')
    expect(await accessibilityFaults()).toEqual([])
    importIs({ status: 'checked', counts, progress: { done: 10_000, total: 10_000 } })
    expect(await screen.findByRole('heading', { name: '10,000 people can be brought in' })).toBeTruthy()
    expect(
      screen.getByText(/9,800 users, 180 supervisors, 15 managers, and 5 directors\. Nothing was imported yet\./),
    ).toBeTruthy()
    expect(currentStep()).toContain('Bring them in')
  })

  test('goes on being asked for after the connection was lost', async () => {
    importIs({ progress: { done: 1, total: 2 } })
    openKnown()
    await screen.findByRole('progressbar')
    api.cut(getImport)
    expect(await screen.findByText('The connection is lost.')).toBeTruthy()
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50')
    importIs({ status: 'checked', counts })
    expect(await screen.findByRole('heading', { name: '10,000 people can be brought in' })).toBeTruthy()
    expect(screen.queryByText('The connection is lost.')).toBeNull()
  })

  test('an import that cannot be loaded is asked for until it can', async () => {
    api.refuse(getImport, 'unavailable')
    openKnown()
    expect(await screen.findByText('The import could not be loaded. It goes on all the same.')).toBeTruthy()
    importIs({ status: 'interrupted' })
    expect(await screen.findByRole('heading', { name: 'The import was interrupted' })).toBeTruthy()
  })

  test('is not asked for any more once it has ended', async () => {
    importIs({ status: 'checked', counts })
    openKnown()
    await screen.findByRole('button', { name: 'Bring them in' })
    const asked = api.callsOf(getImport).length
    await new Promise(resolve => setTimeout(resolve, limits.importPollMs * 2.5))
    expect(api.callsOf(getImport)).toHaveLength(asked)
  })
})

describe('problems', () => {
  const problems = Array.from({ length: 60 }, (_, index) => ({
    line: index + 2,
    column: index === 0 ? null : ('email' as const),
    message: index === 1 ? '=HYPERLINK is not an e-mail address.' : `Problem ${index + 1}`,
  }))
  const refused = { status: 'refused' as const, problem_count: 3_200, problems }

  test('are listed by line, counted, and nothing was imported', async () => {
    importIs(refused)
    openKnown()
    expect(await screen.findByRole('heading', { name: '3,200 problems: nothing was imported' })).toBeTruthy()
    expect(screen.getByText('The first 60 of 3,200 problems are listed.')).toBeTruthy()
    const [, first, second] = within(screen.getByRole('table')).getAllByRole('row')
    expect(within(first as HTMLElement).getByText('whole line')).toBeTruthy()
    expect(within(second as HTMLElement).getByText('email')).toBeTruthy()
    expect(screen.queryByText('Problem 60')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(screen.getByText('Problem 60')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Bring them in' })).toBeNull()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('can be downloaded, with nothing in them a spreadsheet would run', async () => {
    importIs(refused)
    openKnown()
    const link = await screen.findByRole('link', { name: 'Download the problems' })
    await waitFor(() => expect(link.getAttribute('href')).toMatch(/^blob:/))
    expect(link.getAttribute('download')).toBe('people-problems.csv')
    const lines = (await textOf(savedFiles.at(-1))).split('\r\n')
    expect(lines.slice(0, 3)).toEqual([
      'line,column,problem',
      '2,,Problem 1',
      '3,email,"\'=HYPERLINK is not an e-mail address."',
    ])
    expect(lines).toHaveLength(62)
  })

  test('are a list on a phone', async () => {
    window.matchMedia = jest.fn((media: string) => ({ ...wide(media), matches: media.startsWith('(max-width') }))
    importIs(refused)
    openKnown()
    const list = await screen.findByRole('list', { name: 'Problems by line' })
    expect(within(list).getAllByRole('listitem')).toHaveLength(50)
    expect(screen.queryByRole('table')).toBeNull()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('are followed by the corrected file', async () => {
    importIs(refused)
    openKnown()
    await user.click(await screen.findByRole('button', { name: 'Choose the corrected file' }))
    const heading = await screen.findByRole('heading', { name: 'Choose a file' })
    expect(address()).toBe(start)
    expect(document.activeElement).toBe(heading)
  })
})

describe('bringing them in', () => {
  test('asks first, then shows how far it is and what has become of it', async () => {
    importIs({ status: 'checked', counts })
    api.answer(applyImport, { success: true, import: anImport({ status: 'applying', counts }) })
    openKnown()
    await user.click(await screen.findByRole('button', { name: 'Bring them in' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Bring in 10,000 people?' }))
    expect(await accessibilityFaults()).toEqual([])
    importIs({ status: 'applying', counts, progress: { done: 5_000, total: 10_000 } })
    await user.click(dialog.getByRole('button', { name: 'Bring in 10,000 people' }))

    const heading = await screen.findByRole('heading', { name: 'They are being brought in' })
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(document.activeElement).toBe(heading)
    await waitFor(() =>
      expect(screen.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('5,000 of 10,000 people'),
    )
    expect(await accessibilityFaults()).toEqual([])

    importIs({ status: 'applied', counts, progress: { done: 10_000, total: 10_000 } })
    expect(await screen.findByRole('heading', { name: '10,000 people were brought in' })).toBeTruthy()
    expect(api.callsOf(applyImport)).toHaveLength(1)
    expect(currentStep()).toBeUndefined()
    expect(await accessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('link', { name: 'Show all users' }))
    expect(address()).toBe('/admin?tab=users')
  })

  test('is not begun by one who thinks better of it', async () => {
    importIs({ status: 'checked', counts })
    openKnown()
    await user.click(await screen.findByRole('button', { name: 'Bring them in' }))
    await user.click(await screen.findByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(api.callsOf(applyImport)).toEqual([])
  })

  test('has everybody’s lists loaded anew', async () => {
    api.answer(listUsers, [])
    importIs({ status: 'applying', counts })
    const { store } = openKnown()
    await store.dispatch(adminApi.endpoints.listUsers.initiate({ query: {} }) as never)
    await screen.findByRole('progressbar')
    expect(api.callsOf(listUsers)).toHaveLength(1)
    importIs({ status: 'applied', counts })
    await waitFor(() => expect(api.callsOf(listUsers)).toHaveLength(2))
  })

  test('that is refused says why and looks again', async () => {
    importIs({ status: 'checked', counts })
    api.refuse(applyImport, 'conflict', 'This import is under way already.')
    openKnown()
    await user.click(await screen.findByRole('button', { name: 'Bring them in' }))
    importIs({ status: 'applying', counts })
    await user.click(await screen.findByRole('button', { name: 'Bring in 10,000 people' }))
    expect(await screen.findByText('The import could not be started')).toBeTruthy()
    expect(screen.getByText('This import is under way already.')).toBeTruthy()
    expect(await screen.findByRole('heading', { name: 'They are being brought in' })).toBeTruthy()
  })

  test('finds that something has changed meanwhile: nobody was brought in', async () => {
    importIs({ status: 'applying', counts })
    openKnown()
    await screen.findByRole('progressbar')
    importIs({
      status: 'refused',
      problem_count: 1,
      problems: [{ line: 7, column: 'supervisor_email', message: 'Supervisor One is not a supervisor.' }],
    })
    expect(await screen.findByRole('heading', { name: '1 problem: nothing was imported' })).toBeTruthy()
    expect(screen.getByText('Supervisor One is not a supervisor.')).toBeTruthy()
  })
})

describe('what was left or broke off', () => {
  test('an interrupted import has done nothing and is checked again', async () => {
    importIs({ status: 'interrupted' })
    api.answer(checkImport, { success: true, import: anImport() })
    openKnown()
    expect(await screen.findByText(/Nothing was imported/)).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
    importIs({ status: 'checked', counts })
    await user.click(screen.getByRole('button', { name: 'Check it again' }))
    expect(await screen.findByRole('heading', { name: '10,000 people can be brought in' })).toBeTruthy()
    expect(api.callsOf(checkImport)).toHaveLength(1)
  })

  test('an upload that was left says to choose the file again', async () => {
    importIs({ status: 'uploading' })
    openKnown()
    expect(await screen.findByRole('heading', { name: 'The upload was not finished' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Choose the file again' }))
    expect(await screen.findByRole('heading', { name: 'Choose a file' })).toBeTruthy()
  })

  test('an import nobody knows is said so', async () => {
    api.refuse(getImport, 'not_found')
    openKnown()
    expect(await screen.findByRole('heading', { name: 'There is no such import' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Choose a file' }))
    expect(address()).toBe(start)
  })

  test('who went elsewhere finds back to the import under way, until it has ended', async () => {
    acceptUpload()
    importIs({})
    open()
    await user.upload(fileField(), people)
    await screen.findByRole('heading', { name: 'The file is being checked' })
    cleanup()

    importIs({ status: 'applied', counts })
    open()
    expect(screen.getByText('people.csv')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Go back to it' }))
    await screen.findByRole('heading', { name: '10,000 people were brought in' })
    await user.click(screen.getByRole('button', { name: 'Import another file' }))
    await screen.findByRole('heading', { name: 'Choose a file' })
    expect(screen.queryByRole('button', { name: 'Go back to it' })).toBeNull()
  })
})

async function textOf(file: Blob | undefined): Promise<string> {
  return new TextDecoder().decode(await new Response(file).arrayBuffer())
}
