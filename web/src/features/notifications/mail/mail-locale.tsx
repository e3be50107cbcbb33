import { NativeSelect } from '@mantine/core'
import type { getMailChoices } from '@watchline/contracts/mail'
import type { ResponseOf } from '@watchline/contracts/operation'
import { nameLanguage } from '../../../ui/dates/language-name.ts'

type Choices = ResponseOf<typeof getMailChoices>

interface LocaleProps {
  choices: Choices
  /** null leaves it to the organisation. */
  onChoose: (value: string | null) => void
}

/** The language of the person's mails; nothing while there is only one. */
export function MailLanguage({ choices: { language, default_language, languages = [] }, onChoose }: LocaleProps) {
  if (languages.length === 0 || default_language === undefined) return null
  return (
    <NativeSelect
      size="xs"
      label="Language of your mails"
      value={language && languages.includes(language) ? language : ''}
      onChange={event => onChoose(event.currentTarget.value || null)}
      data={[
        { value: '', label: `Default language: ${nameLanguage(default_language)}` },
        ...languages.map(tag => ({ value: tag, label: nameLanguage(tag) })),
      ]}
    />
  )
}

interface TimeZoneProps extends LocaleProps {
  hasMails: boolean
  /** Whether the person may have tasks, which may be due in their time zone. */
  hasTasks: boolean
}

/**
 * The clocks that decide when reminders come, and when new tasks are due; nothing while there is
 * only one choice.
 */
export function PersonTimeZone({ choices, hasMails, hasTasks, onChoose }: TimeZoneProps) {
  const { time_zone, organisation_time_zone } = choices
  if (organisation_time_zone === undefined) return null
  const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = new Map([
    ...(time_zone ? [[time_zone, time_zone] as const] : []),
    ...(browserZone === organisation_time_zone ? [] : [[browserZone, `Your time zone (${browserZone})`] as const]),
  ])
  if (zones.size === 0) return null
  return (
    <NativeSelect
      size="xs"
      label="Your time zone"
      description={[
        ...(hasMails ? ['It decides at which hours and on which days reminders come.'] : []),
        ...(hasTasks ? ['New tasks may be due on these clocks.'] : []),
        'Due dates that are set stay as they are.',
      ].join(' ')}
      descriptionProps={{ size: 'sm' }}
      value={time_zone ?? ''}
      onChange={event => onChoose(event.currentTarget.value || null)}
      data={[
        { value: '', label: `Time zone of the organisation (${organisation_time_zone})` },
        ...[...zones].map(([value, label]) => ({ value, label })),
      ]}
    />
  )
}
