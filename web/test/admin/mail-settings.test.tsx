import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getMailLanguages, type SavedMailLanguages, saveMailLanguages } from '@watchline/contracts/mail-languages'
import {
  getReminderSettings,
  listMailWordings,
  previewMailWording,
  type SavedMailWording,
  type SavedReminderSettings,
  saveMailWording,
  saveReminderSettings,
} from '@watchline/contracts/mail-settings'
import { HttpResponse } from 'msw'
import { MailSettings } from '../../src/features/admin/mails/mail-settings.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()

const dueSoon: SavedMailWording = {
  kind: 'task_due_soon',
  subject: 'Task due soon: {task}',
  text: 'Hello {name},\n\n{link}',
  link_label: 'Open the task',
  is_default: true,
  placeholders: ['name', 'task', 'link'],
  version: 0,
  updated_at: null,
  updated_by: null,
}
const overdue: SavedMailWording = {
  ...dueSoon,
  ...{ kind: 'task_overdue', subject: 'Own words', is_default: false, version: 3 },
  ...{ updated_at: '2026-11-20T10:00:00.000Z', updated_by: 'Admin One' },
}

const reminders: SavedReminderSettings = {
  hours: null,
  quiet_weekdays: [],
  quiet_dates: [],
  digest: { weekdays: [1], time: '08:00' },
  time_zone: 'Europe/Berlin',
  next_allowed_at: '2026-11-20T10:00:00.000Z',
  version: 0,
  updated_at: null,
  updated_by: null,
}

const languages: SavedMailLanguages = {
  ...{ default_language: 'en', languages: ['de'], version: 2 },
  ...{ updated_at: '2026-11-20T10:00:00.000Z', updated_by: 'Admin Two' },
}

beforeEach(() => {
  api.answer(getMailLanguages, { ...languages, languages: [], version: 0, updated_at: null, updated_by: null })
  setXsrfCookie('there')
  api.answer(getReminderSettings, reminders)
  api.answer(listMailWordings, [dueSoon, overdue])
})
afterEach(cleanup)

const open = () => renderScreen(<MailSettings />, { at: '/admin?tab=settings&view=mails' })
const press = (name: string) => user.click(screen.getByRole('button', { name }))
const field = (name: string) => screen.findByLabelText<HTMLInputElement>(name)

test('words are edited, shown as a mail, and saved with their version', async () => {
  api.answer(previewMailWording, {
    subject: 'Bitte Fire safety',
    text: 'text part',
    html: '<!doctype html><b>bold</b>',
    paragraphs: [
      { lines: [[{ text: 'Hello <b>Admin</b>,' }]] },
      { button: { label: 'Open the task', url: 'https://watchline.example' } },
    ],
    footer: [{ lines: [[{ text: 'You get this mail because the task is assigned to you.' }]] }],
  })
  api.answer(saveMailWording, { ...dueSoon, subject: 'Bitte', is_default: false, version: 1 })
  open()
  await user.clear(await field('Subject'))
  await enterText(user, await field('Subject'), 'Bitte')
  await press('Show a preview')
  const preview = within(await screen.findByRole('region', { name: 'Preview: Task due soon' }))
  expect(preview.getByText('Hello <b>Admin</b>,')).toBeTruthy()
  expect(preview.getByText('<!doctype html><b>bold</b>')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
  await press('Save the words')
  expect(await screen.findByText('The words are saved')).toBeTruthy()
  const wording = { subject: 'Bitte', text: dueSoon.text, link_label: 'Open the task' }
  expect(api.callsOf(saveMailWording).map(call => call.body)).toEqual([{ wording, version: 0 }])
})

test('the placeholders of a kind stand with their meaning, those with cases with words for each', async () => {
  const decision: SavedMailWording = { ...dueSoon, placeholders: ['person', 'decision', 'link'] }
  api.answer(listMailWordings, [decision, overdue])
  open()
  await field('Subject')
  await user.click(screen.getByText('Placeholders of this mail'))
  expect(screen.getByText('{person}')).toBeTruthy()
  expect(screen.getByText('{decision:approved|rejected}')).toBeTruthy()
  expect(screen.getByText('your words for approved, and for rejected')).toBeTruthy()
  expect(screen.getByText(/one text for each case, in the order shown/)).toBeTruthy()
  expect(screen.getByText('the name of the person whom the mail is about (optional)')).toBeTruthy()
  expect(screen.getByText('{person:…}')).toBeTruthy()
  expect(screen.getByRole('group', { name: 'Tasks' })).toBeTruthy()
})

test('an own end of the mail is saved, and an empty one is the English end', async () => {
  const reminded: SavedMailWording = { ...dueSoon, footer: 'Ende', is_default: false, version: 2 }
  api.answer(listMailWordings, [reminded])
  api.answer(saveMailWording, { ...reminded, version: 3 })
  open()
  const end = await screen.findByLabelText<HTMLTextAreaElement>('End of the mail')
  expect(end.value).toBe('Ende')
  await user.clear(end)
  await press('Save the words')
  expect(await screen.findByText('The words are saved')).toBeTruthy()
  const { subject, text, link_label } = reminded
  expect(api.callsOf(saveMailWording).map(call => call.body)).toEqual([
    { wording: { subject, text, link_label }, version: 2 },
  ])
})

test('a refused placeholder is named at its field, and the words stay', async () => {
  const message = 'line 1, column 1: “{nmae}” is not known here. Known are {name}, {task}, {link}.'
  const errors = [{ path: 'wording.text', message }]
  const refusal = { code: 'invalid', detail: `wording.text ${message}`, request_id: 'r', errors }
  api.answer(saveMailWording, HttpResponse.json(refusal, { status: 422 }))
  open()
  await user.clear(await field('Text'))
  await enterText(user, await field('Text'), '{nmae}')
  await press('Save the words')
  expect(await screen.findByText(message.replace('line', 'Line'))).toBeTruthy()
  expect((await field('Text')).value).toBe('{nmae}')
  expect((await field('Text')).getAttribute('aria-invalid')).toBe('true')
})

test('unsaved words stay while another kind is open; default words are restored', async () => {
  api.answer(saveMailWording, { ...overdue, is_default: true, version: 4 })
  open()
  await enterText(user, await field('Subject'), '!')
  const kind = screen.getByLabelText('Kind of mail')
  await user.selectOptions(kind, 'task_overdue')
  expect((await field('Subject')).value).toBe('Own words')
  expect(screen.getByText(/Last changed by Admin One/)).toBeTruthy()
  await press('Restore the default words')
  expect(await screen.findByText('The default words are back')).toBeTruthy()
  expect(api.callsOf(saveMailWording).map(call => call.body)).toEqual([{ wording: null, version: 3 }])
  await user.selectOptions(kind, 'task_due_soon')
  expect((await field('Subject')).value).toContain('!')
})

test('a conflict offers the saved words', async () => {
  api.refuse(saveMailWording, 'edited_elsewhere')
  open()
  await enterText(user, await field('Subject'), '!')
  await press('Save the words')
  expect((await screen.findByRole('alert')).textContent).toContain('Somebody changed this meanwhile')
  api.answer(listMailWordings, [{ ...dueSoon, subject: 'Newer', version: 1 }, overdue])
  await press('Load the saved words')
  expect(await screen.findByDisplayValue('Newer')).toBeTruthy()
})

test('a language is added, by its name or its tag, and removed', async () => {
  api.answer(saveMailLanguages, ({ body }) => {
    const saved = { ...languages, ...(body as object), version: 3 }
    api.answer(getMailLanguages, saved)
    return saved
  })
  open()
  const add = async () => user.click(screen.getByRole('button', { name: 'Add language' }))
  const choice = await screen.findByLabelText('Add a language')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Add language' }).disabled).toBe(true)
  expect(screen.queryByLabelText('Language of the words')).toBeNull()
  await user.selectOptions(choice, 'Deutsch (German)')
  await add()
  expect(await screen.findByText('Deutsch (German) is added')).toBeTruthy()
  const further = within(await screen.findByRole('list', { name: 'Further languages' }))
  expect(further.getByText('Deutsch (German)')).toBeTruthy()

  await user.selectOptions(choice, 'Another language…')
  const tag = screen.getByLabelText('Language tag (BCP 47), such as pt-BR')
  await enterText(user, tag, 'xx')
  expect(screen.getByText('This tag is not known.')).toBeTruthy()
  await user.clear(tag)
  await enterText(user, tag, 'nl-be')
  await add()
  expect(await further.findByText(/Vlaams|Nederlands/)).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
  await user.click(further.getByRole('button', { name: 'Remove Deutsch (German)' }))
  expect(await screen.findByText('Deutsch (German) is removed')).toBeTruthy()
  expect(api.callsOf(saveMailLanguages).map(call => call.body)).toEqual([
    { default_language: 'en', languages: ['de'], version: 0 },
    { default_language: 'en', languages: ['de', 'nl-BE'], version: 3 },
    { default_language: 'en', languages: ['nl-BE'], version: 3 },
  ])
})

test('a conflict of languages offers the saved ones', async () => {
  api.answer(getMailLanguages, languages)
  api.refuse(saveMailLanguages, 'edited_elsewhere')
  open()
  await user.click(await screen.findByRole('button', { name: 'Remove Deutsch (German)' }))
  expect((await screen.findByRole('alert')).textContent).toContain('Somebody changed this meanwhile')
  api.answer(getMailLanguages, { ...languages, languages: ['fr'], version: 3 })
  await press('Load the saved languages')
  expect(await screen.findByRole('button', { name: 'Remove Français (French)' })).toBeTruthy()
})

test('words are written and removed in each language, and unsaved ones stay with theirs', async () => {
  api.answer(getMailLanguages, languages)
  const german: SavedMailWording = { ...dueSoon, language: 'de' }
  api.answer(listMailWordings, ({ query }) => (query.language === 'de' ? [german] : [dueSoon, overdue]))
  api.answer(saveMailWording, { ...german, subject: 'Bald fällig', is_default: false, version: 1 })
  open()
  await enterText(user, await field('Subject'), '!')
  const language = await screen.findByLabelText('Language of the words')
  await user.selectOptions(language, 'Deutsch (German)')
  expect(await screen.findByText(/This mail has no words in Deutsch \(German\) yet/)).toBeTruthy()
  expect(screen.getByText('Task due soon (not written yet)')).toBeTruthy()
  expect((await field('Subject')).value).toBe('Task due soon: {task}')
  await user.clear(await field('Subject'))
  await enterText(user, await field('Subject'), 'Bald fällig')
  const saved = { ...german, subject: 'Bald fällig', is_default: false, version: 1 }
  api.answer(listMailWordings, ({ query }) => (query.language === 'de' ? [saved] : [dueSoon, overdue]))
  await press('Save the words')
  await user.click(await screen.findByRole('button', { name: 'Remove these words' }))
  expect(await screen.findByText('The words are removed')).toBeTruthy()
  const calls = api.callsOf(saveMailWording)
  expect(calls.map(({ query }) => query)).toEqual([{ language: 'de' }, { language: 'de' }])
  expect(calls.map(({ body }) => body)).toEqual([
    { wording: { subject: 'Bald fällig', text: dueSoon.text, link_label: 'Open the task' }, version: 0 },
    { wording: null, version: 1 },
  ])
  await user.selectOptions(language, 'English, the default language')
  expect((await field('Subject')).value).toContain('!')
})

const christmasEve = /^Thursday,? 24 December 2026$/

test('the times of reminders are chosen, and saved with their version', async () => {
  api.answer(saveReminderSettings, { ...reminders, version: 1 })
  open()
  await user.click(await screen.findByLabelText('Send reminders only between certain hours'))
  await user.selectOptions(screen.getByLabelText('Until'), '17:30')
  const days = (label: string) => within(screen.getByRole('group', { name: label }))
  for (const day of ['Sunday', 'Saturday']) await user.click(days('Days without reminders').getByLabelText(day))
  await user.click(days('Days of the digest').getByLabelText('Thursday'))
  await user.selectOptions(screen.getByLabelText('Time of the digest'), '07:15')
  fireEvent.change(screen.getByLabelText('Dates without reminders'), { target: { value: '2026-12-24' } })
  await press('Add date')
  expect(screen.getByText(christmasEve)).toBeTruthy()
  expect(screen.getByText(/The times are those of Europe\/Berlin. Reminders can be sent now./)).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
  await press('Save the times')
  expect(await screen.findByText('The times are saved')).toBeTruthy()
  expect(api.callsOf(saveReminderSettings).map(call => call.body)).toEqual([
    {
      hours: { from: '08:00', until: '17:30' },
      quiet_weekdays: [6, 7],
      quiet_dates: ['2026-12-24'],
      digest: { weekdays: [1, 4], time: '07:15' },
      version: 0,
    },
  ])
})

test('a quiet date is removed, and one day of the week always stays', async () => {
  const quiet = { quiet_weekdays: [1, 2, 3, 4, 5, 6], quiet_dates: ['2026-12-24'], version: 2 }
  const next = { next_allowed_at: '2099-12-27T00:00:00.000Z' }
  api.answer(getReminderSettings, { ...reminders, ...quiet, ...next })
  open()
  const quietDays = within(await screen.findByRole('group', { name: 'Days without reminders' }))
  expect(quietDays.getByLabelText<HTMLInputElement>('Sunday').disabled).toBe(true)
  expect(screen.getByText(/The next reminders are sent on .*27.*2099/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: /^Remove Thursday/ }))
  expect(screen.queryByText(christmasEve)).toBeNull()
  api.refuse(saveReminderSettings, 'edited_elsewhere')
  await press('Save the times')
  expect((await screen.findByRole('alert')).textContent).toContain('Somebody changed this meanwhile')
  expect(screen.getByRole('button', { name: 'Load the saved times' })).toBeTruthy()
})
