import { Checkbox } from '@mantine/core'
import { type AddressProblem, isRequiredMailKind, type MailKind, type saveMailChoices } from '@watchline/contracts/mail'
import type { BodyOf } from '@watchline/contracts/operation'
import type { Role } from '@watchline/contracts/people'
import { asFailure } from '../../../api/failure.ts'
import { useGetMailChoicesQuery, useSaveMailChoicesMutation } from '../../../api/mail-choices.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import styles from './mail-choices.module.css'
import { groupChoices, isTimed, type MailKindGroup, mailKindNames, mailKindsOf } from './mail-kinds.ts'
import { MailLanguage, PersonTimeZone } from './mail-locale.tsx'

const problemWords: Record<AddressProblem, string> = {
  unverified: 'You get no mails: your sign-in provider has not confirmed this address.',
  bouncing: 'You get no mails: this address refused an earlier mail. Tell your administrator when it works again.',
}

type MailChoice = NonNullable<BodyOf<typeof saveMailChoices>>

/**
 * The notifications that the person gets by mail, and their time zone. Without a mail server only
 * the time zone, if tasks may be due by it.
 */
export function MailChoices({ person }: { person: { role: Role } }) {
  const alerts = useAlerts()
  const { data, error } = useGetMailChoicesQuery(undefined, { refetchOnMountOrArgChange: true })
  const [save] = useSaveMailChoicesMutation()
  const kinds = mailKindsOf(person.role)
  if (error && !data) return <p className={styles.note}>Couldn’t load your choices of mails and time zone.</p>
  if (!data || kinds.length === 0) return null
  const hasTasks = person.role === 'user'

  async function saveChoice(body: MailChoice, failure: string) {
    const result = await save({ body })
    if (result.error) alerts.fail(failure, asFailure(result.error))
  }

  function choose(kind: MailKind, isChosen: boolean) {
    const otherKinds = data!.kinds.filter(chosenKind => chosenKind !== kind)
    const chosenKinds = isChosen ? [...otherKinds, kind] : otherKinds
    return saveChoice({ kinds: chosenKinds }, 'Your choice of mails was not saved')
  }

  const timeZone = (
    <PersonTimeZone
      choices={data}
      hasMails={data.is_available}
      hasTasks={hasTasks}
      onChoose={time_zone => saveChoice({ time_zone }, 'Your time zone was not saved')}
    />
  )
  if (!data.is_available) return hasTasks ? timeZone : null

  return (
    <fieldset className={styles.choices}>
      <legend className={styles.legend}>Mails</legend>
      <p className={styles.note}>{data.address_problem ? problemWords[data.address_problem] : `To ${data.address}`}</p>
      {kinds.some(isRequiredMailKind) ? (
        <p className={styles.note}>Always about tasks due soon, in their grace period and overdue. Also about:</p>
      ) : null}
      {groupChoices(kinds).map(group => (
        <KindGroup key={group.name} group={group} chosen={data.kinds} onChoose={choose} />
      ))}
      <MailLanguage
        choices={data}
        onChoose={language => saveChoice({ language }, 'The language of your mails was not saved')}
      />
      {kinds.some(isTimed) ? timeZone : null}
    </fieldset>
  )
}

interface KindGroupProps {
  group: MailKindGroup
  chosen: readonly MailKind[]
  onChoose: (kind: MailKind, isChosen: boolean) => void
}

/** The closed group says how many of its kinds are chosen. */
function KindGroup({ group: { name, kinds }, chosen, onChoose }: KindGroupProps) {
  const chosenCount = kinds.filter(kind => chosen.includes(kind)).length
  return (
    <details>
      <summary className={styles.summary}>
        {name} <span className={styles.count}>{`${chosenCount} of ${kinds.length}`}</span>
      </summary>
      <fieldset className={styles.kinds}>
        <legend className="wl-hidden">{name}</legend>
        {kinds.map(kind => (
          <Checkbox
            key={kind}
            size="xs"
            label={mailKindNames[kind]}
            checked={chosen.includes(kind)}
            onChange={event => onChoose(kind, event.currentTarget.checked)}
          />
        ))}
      </fieldset>
    </details>
  )
}
