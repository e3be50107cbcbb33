import { Button } from '@mantine/core'
import type { PeopleImport } from '@watchline/contracts/people-imports'
import { useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { countPeople } from '../people/people-count.ts'
import { useApplyImportMutation, useCacheImport } from './import-api.ts'
import styles from './people-import.module.css'

interface ImportReadyProps {
  peopleImport: PeopleImport
  onStartAgain: () => void
  onChanged: () => void
}

/** A file without problems, waiting for the administrator's confirmation. */
export function ConfirmImport({ peopleImport, onStartAgain, onChanged }: ImportReadyProps) {
  const alerts = useAlerts()
  const cacheImport = useCacheImport()
  const [isConfirming, setConfirming] = useState(false)
  const [applyImport, { isLoading }] = useApplyImportMutation()
  const { total, list } = countPeople(peopleImport.counts)
  const people = formatCount(total, 'person', 'people')

  async function confirm() {
    const answer = await applyImport({ params: { id: peopleImport.id }, body: {} })
    if (answer.data) return cacheImport(answer.data.import)
    setConfirming(false)
    alerts.fail('The import could not be started', asFailure(answer.error))
    onChanged()
  }

  if (total === 0)
    return (
      <>
        <p className={styles.words}>{peopleImport.file_name} names no people. Nothing was imported.</p>
        <div className={styles.actions}>
          <Button onClick={onStartAgain}>Choose another file</Button>
        </div>
      </>
    )
  return (
    <>
      <p className={styles.words}>
        {peopleImport.file_name} has no problems: {list}. Nothing was imported yet.
      </p>
      <div className={styles.actions}>
        <Button onClick={() => setConfirming(true)}>Import</Button>
        <Button variant="default" onClick={onStartAgain}>
          Choose another file
        </Button>
      </div>
      <StackedDialog
        name="apply-import"
        opened={isConfirming}
        onClose={() => !isLoading && setConfirming(false)}
        title={`Import ${people}?`}
      >
        <div className={styles.dialog}>
          <p>
            {list} get their roles, supervisors and managers at once. An import cannot be undone as a whole, but you can
            edit each person.
          </p>
          <div className={styles.actions}>
            <Button onClick={confirm} loading={isLoading}>
              Import {people}
            </Button>
            <Button variant="default" onClick={() => setConfirming(false)} disabled={isLoading} data-autofocus>
              Cancel
            </Button>
          </div>
        </div>
      </StackedDialog>
    </>
  )
}
