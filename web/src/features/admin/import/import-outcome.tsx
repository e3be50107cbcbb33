import { Button } from '@mantine/core'
import type { PeopleImport } from '@watchline/contracts/people-imports'
import { Link } from 'react-router'
import { asFailure } from '../../../api/failure.ts'
import { formatCount, formatNumber } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { ProgressLine } from '../../../ui/progress/progress-line.tsx'
import { adminAddress } from '../admin-address.ts'
import { countPeople } from '../people/people-count.ts'
import { ConfirmImport } from './confirm-import.tsx'
import { useCacheImport, useCheckImportMutation } from './import-api.ts'
import { ImportProblems } from './import-problems.tsx'
import styles from './people-import.module.css'

interface ImportOutcomeProps {
  peopleImport: PeopleImport
  onStartAgain: () => void
  /** Called when something other than this page changed the import. */
  onChanged: () => void
}

/** Shows an import in its present state, with the possible actions. */
export function ImportOutcome({ peopleImport, onStartAgain, onChanged }: ImportOutcomeProps) {
  const { file_name: fileName, progress, counts } = peopleImport
  const restartButton = (label: string, isPrimary = false) => (
    <Button variant={isPrimary ? 'filled' : 'default'} onClick={onStartAgain}>
      {label}
    </Button>
  )

  switch (peopleImport.status) {
    case 'uploading':
      return (
        <>
          <p className={styles.words}>
            Not all of {fileName} has arrived, so it was not checked. Nothing was imported. Choose the file again.
          </p>
          <div className={styles.actions}>{restartButton('Choose the file again', true)}</div>
        </>
      )
    case 'checking':
      return (
        <>
          <ProgressLine
            label={`Checking ${fileName}`}
            {...progress}
            valueText={describeProgress(progress, 'line', 'lines')}
          />
          <p className={styles.words}>
            Nothing changes yet. You may leave this page; the check goes on and waits for you here.
          </p>
        </>
      )
    case 'checked':
    case 'refused':
      if (peopleImport.problem_count > 0 || peopleImport.status === 'refused')
        return <ImportProblems peopleImport={peopleImport} onStartAgain={onStartAgain} />
      return <ConfirmImport peopleImport={peopleImport} onStartAgain={onStartAgain} onChanged={onChanged} />
    case 'applying':
      return (
        <>
          <ProgressLine
            label={`Importing the people of ${fileName}`}
            {...progress}
            valueText={describeProgress(progress, 'person', 'people')}
          />
          <p className={styles.words}>
            You may leave this page; the import goes on. Either everybody is imported or, if anything goes wrong,
            nobody.
          </p>
        </>
      )
    case 'applied':
      return (
        <>
          <p className={styles.words}>
            {fileName}: {countPeople(counts).list}. They can sign in now; at the first sign-in with their verified email
            they have their role and team.
          </p>
          <div className={styles.actions}>
            <Button component={Link} to={adminAddress.users}>
              Show all users
            </Button>
            {restartButton('Import another file')}
          </div>
        </>
      )
    case 'interrupted':
      return (
        <>
          <p className={styles.words}>
            The work on {fileName} broke off before it was done. Nothing was imported. The file is still there: check it
            again, then import the people. If that breaks off, too, split the file into smaller ones.
          </p>
          <div className={styles.actions}>
            <CheckAgain peopleImport={peopleImport} onChanged={onChanged} />
            {restartButton('Choose another file')}
          </div>
        </>
      )
  }
}

/** The heading for this state. Screen readers announce it when it changes. */
export function outcomeTitle({ status, problem_count, counts }: PeopleImport): string {
  const { total } = countPeople(counts)
  switch (status) {
    case 'uploading':
      return 'The upload was not finished'
    case 'checking':
      return 'The file is being checked'
    case 'checked':
    case 'refused':
      if (problem_count > 0) return `${formatCount(problem_count, 'problem')}: nothing was imported`
      if (status === 'refused') return 'Nothing was imported'
      return total > 0 ? `${formatCount(total, 'person', 'people')} ready to import` : 'There is nobody in this file'
    case 'applying':
      return 'Importing the people'
    case 'applied':
      return `${formatCount(total, 'person was', 'people were')} imported`
    case 'interrupted':
      return 'The import was interrupted'
  }
}

function describeProgress({ done, total }: PeopleImport['progress'], singular: string, plural: string): string {
  return total > 0 ? `${formatNumber(done)} of ${formatCount(total, singular, plural)}` : 'Just begun'
}

function CheckAgain({ peopleImport, onChanged }: { peopleImport: PeopleImport; onChanged: () => void }) {
  const alerts = useAlerts()
  const cacheImport = useCacheImport()
  const [checkImport, { isLoading }] = useCheckImportMutation()

  async function check() {
    const answer = await checkImport({ params: { id: peopleImport.id }, body: {} })
    if (answer.data) return cacheImport(answer.data.import)
    alerts.fail('The file could not be checked again', asFailure(answer.error))
    onChanged()
  }

  return (
    <Button onClick={check} loading={isLoading}>
      Check it again
    </Button>
  )
}
