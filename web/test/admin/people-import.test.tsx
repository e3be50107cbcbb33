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
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { advance, stopTime } from '../support/manual-time.ts'
import { renderScreen } from '../support/render.tsx'

// Unmounts before the fake API closes, so that no poll stays without an answer.
afterEach(() => {
  cleanup()
  window.sessionStorage.clear()
  window.matchMedia = realMatchMedia
})
const api = createFakeApi()
const user = userEvent.setup()
const realMatchMedia = window.matchMedia
const savedFiles: Blob[] = []

beforeEach(() => {
  setXsrfCookie('there')
  savedFiles.length = 0
  URL.createObjectURL = blob => `blob:saved-${savedFiles.push(blob as Blob)}`
  URL.revokeObjectURL = () => {}
})
const noCounts = { user: 0, supervisor: 0, manager: 0, director: 0 }
const counts = { user: 9_800, supervisor: 180, manager: 15, director: 5 }

function makeImport(changes: Partial<PeopleImportState> = {}): PeopleImportState {
  return {
    id: 'import-1',
    file_name: 'people.csv',
    created_at: '2026-11-20T10:00:00.000Z',
    status: 'checking',
    progress: { done: 0, total: 0 },
    counts: noCounts,
    problem_count: 0,
    problems: [],
    ...changes,
  }
}

/** Answers every later poll with this state of the import. */
function answerImport(changes: Partial<PeopleImportState>) {
  api.answer(getImport, makeImport(changes))
}

function acceptUpload() {
  api.answer(createImport, { success: true, import: makeImport({ status: 'uploading' }) })
  api.answer(uploadImportPart, { success: true, import: makeImport({ status: 'uploading' }) })
  api.answer(checkImport, { success: true, import: makeImport() })
}

const importAddress = '/admin?tab=users&view=import'
const openImport = (query = '') => renderScreen(<PeopleImport />, { at: importAddress + query })
const openExistingImport = () => openImport('&import=import-1')
const address = () => screen.getByTestId('address').textContent
const fileField = () => screen.getByLabelText(/Choose a CSV file/)
/** Adds arrayBuffer, because jsdom cannot read a File. */
const makeCsvFile = (text: string, name = 'people.csv') =>
  Object.assign(new File([text], name, { type: 'text/csv' }), {
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  })
const peopleFile = makeCsvFile('email,role\ntrainee1@example.org,user\n')
const currentStep = () =>
  within(screen.getByRole('list', { name: 'Steps' }))
    .getAllByRole('listitem')
    .find(item => item.getAttribute('aria-current') === 'step')?.textContent

describe('choosing a file', () => {
  test('explains the format, with an example and a template', async () => {
    openImport()
    expect(screen.getByRole('heading', { name: 'Choose a file' })).toBeTruthy()
    for (const column of ['email', 'name', 'role', 'supervisor_email', 'manager_email'])
      expect(screen.getByText(column)).toBeTruthy()
    expect(screen.getByText('supervisor1@example.org,Supervisor 1,supervisor,,manager1@example.org')).toBeTruthy()
    const template = screen.getByRole('link', { name: 'Download a template' })
    await waitFor(() => expect(template.getAttribute('href')).toBe('blob:saved-1'))
    expect(template.getAttribute('download')).toBe('people-template.csv')
    expect(await textOf(savedFiles[0])).toMatch(/^email,name,role,supervisor_email,manager_email\r\nmanager1@/)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('uploads the file, starts the dry run and puts the import into the address', async () => {
    acceptUpload()
    answerImport({ progress: { done: 0, total: 1 } })
    openImport()
    await user.upload(fileField(), peopleFile)
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
    expect(api.callsOf(createImport)[0]?.body).toEqual({ file_name: 'people.csv', parts: 1 })
    expect(api.callsOf(uploadImportPart)[0]).toMatchObject({
      params: { id: 'import-1', part: '0' },
      body: { text: 'email,role\ntrainee1@example.org,user\n' },
    })
    await waitFor(() => expect(address()).toBe(`${importAddress}&import=import-1`))
  })

  test('uploads a file that is dropped, and checks it', async () => {
    acceptUpload()
    answerImport({})
    openImport()
    const dropArea = screen.getByText('or drop it here')
    fireEvent.dragOver(dropArea)
    fireEvent.drop(dropArea, { dataTransfer: { files: [peopleFile] } })
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
  })

  test('accepts one file at a time', async () => {
    openImport()
    fireEvent.drop(screen.getByText('or drop it here'), { dataTransfer: { files: [peopleFile, peopleFile] } })
    expect((await screen.findByRole('alert')).textContent).toBe('Choose one file at a time.')
  })

  test('refuses at once a file that cannot hold people', async () => {
    openImport()
    await user.upload(fileField(), makeCsvFile(' \n', 'nothing.csv'))
    expect(await screen.findByText('nothing.csv: This file is empty.')).toBeTruthy()
    expect(fileField().getAttribute('aria-invalid')).toBe('true')
    expect(api.callsOf(createImport)).toEqual([])
    expect(await findAccessibilityFaults()).toEqual([])
  })
})

describe('the upload', () => {
  const largeFile = makeCsvFile('x'.repeat(limits.importPartCharacters * 2 + 1))

  test('sends the parts in order', async () => {
    acceptUpload()
    answerImport({})
    openImport()
    await user.upload(fileField(), largeFile)
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
    expect(api.callsOf(createImport)[0]?.body).toEqual({ file_name: 'people.csv', parts: 3 })
    expect(api.callsOf(uploadImportPart).map(({ params }) => params.part)).toEqual(['0', '1', '2'])
    expect(api.callsOf(uploadImportPart)[2]?.body).toEqual({ text: 'x' })
  })

  test('reports an interruption and continues from there', async () => {
    acceptUpload()
    answerImport({})
    let isBroken = true
    api.answer(uploadImportPart, ({ params }) => {
      if (params.part === '1' && isBroken) return refusal('conflict', 'Not now')
      return { success: true as const, import: makeImport({ status: 'uploading' }) }
    })
    openImport()
    await user.upload(fileField(), largeFile)
    expect(await screen.findByText('people.csv could not be uploaded.')).toBeTruthy()
    expect(screen.getByText(/Nothing was imported/)).toBeTruthy()
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('33')
    expect(await findAccessibilityFaults()).toEqual([])
    isBroken = false
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
    expect(api.callsOf(createImport)).toHaveLength(1)
    expect(api.callsOf(uploadImportPart).map(({ params }) => params.part)).toEqual(['0', '1', '1', '2'])
  })

  test('retries automatically after a moment without connection', async () => {
    acceptUpload()
    answerImport({})
    let attempts = 0
    api.answer(uploadImportPart, () => {
      attempts += 1
      return attempts === 1 ? Response.error() : { success: true as const, import: makeImport({ status: 'uploading' }) }
    })
    openImport()
    await user.upload(fileField(), peopleFile)
    expect(await screen.findByRole('heading', { name: 'The file is being checked' })).toBeTruthy()
    expect(attempts).toBe(2)
  })

  test('can be cancelled without any effect', async () => {
    acceptUpload()
    api.cut(uploadImportPart)
    openImport()
    await user.upload(fileField(), peopleFile)
    await waitFor(() => expect(api.callsOf(uploadImportPart)).toHaveLength(1))
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.getByRole('heading', { name: 'Choose a file' })).toBeTruthy()
    expect(address()).toBe(importAddress)
  })

  test('continues with the dry run even if the answer to its start was lost', async () => {
    acceptUpload()
    api.refuse(checkImport, 'conflict')
    answerImport({ status: 'checked', counts })
    openImport()
    await user.upload(fileField(), peopleFile)
    expect(await screen.findByRole('heading', { name: '10,000 people ready to import' })).toBeTruthy()
  })
})

describe('the dry run', () => {
  test('shows its progress until it is done, also after a reload', async () => {
    answerImport({ progress: { done: 2_500, total: 10_000 } })
    openExistingImport()
    const progressBar = await screen.findByRole('progressbar', { name: 'Checking people.csv' })
    expect(progressBar.getAttribute('aria-valuenow')).toBe('25')
    expect(progressBar.getAttribute('aria-valuetext')).toBe('2,500 of 10,000 lines')
    expect(currentStep()).toContain('Check it')
    expect(await findAccessibilityFaults()).toEqual([])
    answerImport({ status: 'checked', counts, progress: { done: 10_000, total: 10_000 } })
    expect(await screen.findByRole('heading', { name: '10,000 people ready to import' })).toBeTruthy()
    expect(
      screen.getByText(/9,800 users, 180 supervisors, 15 managers, and 5 directors\. Nothing was imported yet\./),
    ).toBeTruthy()
    expect(currentStep()).toContain('Import')
  })

  test('is polled again after a lost connection', async () => {
    answerImport({ progress: { done: 1, total: 2 } })
    openExistingImport()
    await screen.findByRole('progressbar')
    api.cut(getImport)
    expect(await screen.findByText('The connection is lost.')).toBeTruthy()
    expect(screen.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('50')
    answerImport({ status: 'checked', counts })
    expect(await screen.findByRole('heading', { name: '10,000 people ready to import' })).toBeTruthy()
    expect(screen.queryByText('The connection is lost.')).toBeNull()
  })

  test('is polled until it can be loaded', async () => {
    api.refuse(getImport, 'unavailable')
    openExistingImport()
    expect(await screen.findByText('Couldn’t load the import. It continues in the meantime.')).toBeTruthy()
    answerImport({ status: 'interrupted' })
    expect(await screen.findByRole('heading', { name: 'The import was interrupted' })).toBeTruthy()
  })

  test('is not polled any more once it has ended', async () => {
    answerImport({ progress: { done: 1, total: 2 } })
    stopTime()
    openExistingImport()
    while (!screen.queryByRole('progressbar')) await advance(100)
    answerImport({ status: 'checked', counts })
    while (!screen.queryByRole('button', { name: 'Import' })) await advance(100)
    const callsBefore = api.callsOf(getImport).length
    await advance(limits.importPollMs * 2.5)
    expect(api.callsOf(getImport)).toHaveLength(callsBefore)
  })
})

describe('the problems of a file', () => {
  const problems = Array.from({ length: 60 }, (_, index) => ({
    line: index + 2,
    column: index === 0 ? null : ('email' as const),
    message: index === 1 ? '=HYPERLINK is not an email address.' : `Problem ${index + 1}`,
  }))
  const refusedImport = { status: 'refused' as const, problem_count: 3_200, problems }

  test('are listed by line and counted; nothing was imported', async () => {
    answerImport(refusedImport)
    openExistingImport()
    expect(await screen.findByRole('heading', { name: '3,200 problems: nothing was imported' })).toBeTruthy()
    expect(screen.getByText('The first 60 of 3,200 problems are listed.')).toBeTruthy()
    const [, firstRow, secondRow] = within(screen.getByRole('table')).getAllByRole('row')
    expect(within(firstRow as HTMLElement).getByText('whole line')).toBeTruthy()
    expect(within(secondRow as HTMLElement).getByText('email')).toBeTruthy()
    expect(screen.queryByText('Problem 60')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(screen.getByText('Problem 60')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Import' })).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('can be downloaded without anything that a spreadsheet would run', async () => {
    answerImport(refusedImport)
    openExistingImport()
    const link = await screen.findByRole('link', { name: 'Download the problems' })
    await waitFor(() => expect(link.getAttribute('href')).toMatch(/^blob:/))
    expect(link.getAttribute('download')).toBe('people-problems.csv')
    const lines = (await textOf(savedFiles.at(-1))).split('\r\n')
    expect(lines.slice(0, 3)).toEqual([
      'line,column,problem',
      '2,,Problem 1',
      '3,email,"\'=HYPERLINK is not an email address."',
    ])
    expect(lines).toHaveLength(62)
  })

  test('are a list on a phone', async () => {
    window.matchMedia = jest.fn((media: string) => ({
      ...realMatchMedia(media),
      matches: media.startsWith('(max-width'),
    }))
    answerImport(refusedImport)
    openExistingImport()
    const list = await screen.findByRole('list', { name: 'Problems by line' })
    expect(within(list).getAllByRole('listitem')).toHaveLength(50)
    expect(screen.queryByRole('table')).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('lead to a corrected file', async () => {
    answerImport(refusedImport)
    openExistingImport()
    await user.click(await screen.findByRole('button', { name: 'Choose the corrected file' }))
    const heading = await screen.findByRole('heading', { name: 'Choose a file' })
    expect(address()).toBe(importAddress)
    expect(document.activeElement).toBe(heading)
  })
})

describe('applying the import', () => {
  test('asks first, then shows its progress and its result', async () => {
    answerImport({ status: 'checked', counts })
    api.answer(applyImport, { success: true, import: makeImport({ status: 'applying', counts }) })
    openExistingImport()
    await user.click(await screen.findByRole('button', { name: 'Import' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import 10,000 people?' }))
    expect(await findAccessibilityFaults()).toEqual([])
    answerImport({ status: 'applying', counts, progress: { done: 5_000, total: 10_000 } })
    await user.click(dialog.getByRole('button', { name: 'Import 10,000 people' }))

    const heading = await screen.findByRole('heading', { name: 'Importing the people' })
    expect(screen.queryByRole('dialog')).toBeNull()
    expect(document.activeElement).toBe(heading)
    await waitFor(() =>
      expect(screen.getByRole('progressbar').getAttribute('aria-valuetext')).toBe('5,000 of 10,000 people'),
    )
    expect(await findAccessibilityFaults()).toEqual([])

    answerImport({ status: 'applied', counts, progress: { done: 10_000, total: 10_000 } })
    expect(await screen.findByRole('heading', { name: '10,000 people were imported' })).toBeTruthy()
    expect(api.callsOf(applyImport)).toHaveLength(1)
    expect(currentStep()).toBeUndefined()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('link', { name: 'Show all users' }))
    expect(address()).toBe('/admin?tab=users')
  })

  test('does not start if the person cancels', async () => {
    answerImport({ status: 'checked', counts })
    openExistingImport()
    await user.click(await screen.findByRole('button', { name: 'Import' }))
    await user.click(await screen.findByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(api.callsOf(applyImport)).toEqual([])
  })

  test('loads every list of people again', async () => {
    api.answer(listUsers, [])
    answerImport({ status: 'applying', counts })
    const { store } = openExistingImport()
    await store.dispatch(adminApi.endpoints.listUsers.initiate({ query: {} }) as never)
    await screen.findByRole('progressbar')
    expect(api.callsOf(listUsers)).toHaveLength(1)
    answerImport({ status: 'applied', counts })
    await waitFor(() => expect(api.callsOf(listUsers)).toHaveLength(2))
  })

  test('reports a refusal with its reason and loads the state again', async () => {
    answerImport({ status: 'checked', counts })
    api.refuse(applyImport, 'conflict', 'This import is under way already.')
    openExistingImport()
    await user.click(await screen.findByRole('button', { name: 'Import' }))
    answerImport({ status: 'applying', counts })
    await user.click(await screen.findByRole('button', { name: 'Import 10,000 people' }))
    expect(await screen.findByText('The import could not be started')).toBeTruthy()
    expect(screen.getByText('This import is under way already.')).toBeTruthy()
    expect(await screen.findByRole('heading', { name: 'Importing the people' })).toBeTruthy()
  })

  test('ends without importing anybody if something has changed meanwhile', async () => {
    answerImport({ status: 'applying', counts })
    openExistingImport()
    await screen.findByRole('progressbar')
    answerImport({
      status: 'refused',
      problem_count: 1,
      problems: [{ line: 7, column: 'supervisor_email', message: 'Supervisor One is not a supervisor.' }],
    })
    expect(await screen.findByRole('heading', { name: '1 problem: nothing was imported' })).toBeTruthy()
    expect(screen.getByText('Supervisor One is not a supervisor.')).toBeTruthy()
  })
})

describe('an unfinished import', () => {
  test('that was interrupted imported nobody and can be checked again', async () => {
    answerImport({ status: 'interrupted' })
    api.answer(checkImport, { success: true, import: makeImport() })
    openExistingImport()
    expect(await screen.findByText(/Nothing was imported/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    answerImport({ status: 'checked', counts })
    await user.click(screen.getByRole('button', { name: 'Check it again' }))
    expect(await screen.findByRole('heading', { name: '10,000 people ready to import' })).toBeTruthy()
    expect(api.callsOf(checkImport)).toHaveLength(1)
  })

  test('whose upload was left asks for the file again', async () => {
    answerImport({ status: 'uploading' })
    openExistingImport()
    expect(await screen.findByRole('heading', { name: 'The upload was not finished' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Choose the file again' }))
    expect(await screen.findByRole('heading', { name: 'Choose a file' })).toBeTruthy()
  })

  test('that does not exist is reported', async () => {
    api.refuse(getImport, 'not_found')
    openExistingImport()
    expect(await screen.findByRole('heading', { name: 'There is no such import' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Choose a file' }))
    expect(address()).toBe(importAddress)
  })

  test('is offered to a person who comes back, until it has ended', async () => {
    acceptUpload()
    answerImport({})
    openImport()
    await user.upload(fileField(), peopleFile)
    await screen.findByRole('heading', { name: 'The file is being checked' })
    cleanup()

    answerImport({ status: 'applied', counts })
    openImport()
    expect(screen.getByText('people.csv')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Go back to it' }))
    await screen.findByRole('heading', { name: '10,000 people were imported' })
    await user.click(screen.getByRole('button', { name: 'Import another file' }))
    await screen.findByRole('heading', { name: 'Choose a file' })
    expect(screen.queryByRole('button', { name: 'Go back to it' })).toBeNull()
  })
})

async function textOf(file: Blob | undefined): Promise<string> {
  return new TextDecoder().decode(await new Response(file).arrayBuffer())
}
