import { Checkbox, Stack } from '@mantine/core'
import { type AddressProblem, isRequiredMailKind, type MailKind, type saveMailChoices } from '@watchline/contracts/mail'
import type { BodyOf } from '@watchline/contracts/operation'
import type { Role } from '@watchline/contracts/people'
import { asFailure } from '../../../api/failure.ts'
import { useGetMailChoicesQuery, useSaveMailChoicesMutation } from '../../../api/mail-choices.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import styles from './mail-choices.module.css'
import { isTimed, mailKindNames, mailKindsOf } from './mail-kinds.ts'
import { MailLanguage, PersonTimeZone } from './mail-locale.tsx'

const problemWords: Record<AddressProblem, string> = {
  unverified: 'You get no mails: your sign-in provider has not confirmed this address.',
  bouncing: 'You get no mails: this address refused an earlier mail. Tell your administrator when it works again.',
}

type MailChoice = NonNullable<BodyOf<typeof saveMailChoices>>

const isOptional = (kind: MailKind) => !isRequiredMailKind(kind)

/**
 * The notifications that the person gets by mail, and their time zone. Without a mail server only
 * the time zone, if tasks may be due by it.
 */
export function MailChoices({ person }: { person: { role: Role } }) {
  const alerts = useAlerts()
  const { data, error } = useGetMailChoicesQuery(undefined, { refetchOnMountOrArgChange: true })
  const [save] = useSaveMailChoicesMutation()
  const kinds = mailKindsOf(person.role)
  if (error && !data) return <p className={styles.note}>Couldn’t load your choice of mails.</p>
  if (!data || kinds.length === 0) return null
  const hasTasks = person.role === 'user'

  async function saveChoice(body: MailChoice) {
    const result = await save({ body })
    if (result.error) alerts.fail('Your choice of mails was not saved', asFailure(result.error))
  }

  function choose(kind: MailKind, isChosen: boolean) {
    const otherKinds = data!.kinds.filter(chosenKind => chosenKind !== kind)
    return saveChoice({ kinds: isChosen ? [...otherKinds, kind] : otherKinds })
  }

  const timeZone = (
    <PersonTimeZone
      choices={data}
      hasMails={data.is_available}
      hasTasks={hasTasks}
      onChoose={time_zone => saveChoice({ time_zone })}
    />
  )
  if (!data.is_available) return hasTasks ? timeZone : null

  return (
    <fieldset className={styles.choices}>
      <legend className={styles.legend}>Mails</legend>
      <p className={styles.note}>{data.address_problem ? problemWords[data.address_problem] : `To ${data.address}`}</p>
      {kinds.every(isOptional) ? null : (
        <p className={styles.note}>Always about tasks due soon and overdue tasks. Also about:</p>
      )}
      <Stack gap={4}>
        {kinds.filter(isOptional).map(kind => (
          <Checkbox
            key={kind}
            size="xs"
            label={mailKindNames[kind]}
            checked={data.kinds.includes(kind)}
            onChange={event => void choose(kind, event.currentTarget.checked)}
          />
        ))}
      </Stack>
      <MailLanguage choices={data} onChoose={language => saveChoice({ language })} />
      {kinds.some(isTimed) ? timeZone : null}
    </fieldset>
  )
}
