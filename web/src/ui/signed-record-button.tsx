import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import { explainFailure } from '../api/failure.ts'
import { type DocumentType, downloadRecord } from '../api/issue-document.ts'
import { StackedDialog } from './stacked-dialog.tsx'

/** Opens a dialog that downloads the signed record of a person. */
export function SignedRecordButton({ userId }: { userId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Signed record
      </Button>
      <StackedDialog name="signed-record" opened={isOpen} onClose={() => setOpen(false)} title="Signed record">
        {isOpen ? <SignedRecordForm userId={userId} /> : null}
      </StackedDialog>
    </>
  )
}

function SignedRecordForm({ userId }: { userId: string }) {
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState('')
  const [preparing, setPreparing] = useState<DocumentType>()
  const [outcome, setOutcome] = useState<{ problem?: string; done?: string }>({})

  async function download(type: DocumentType) {
    if (preparing) return
    if (from && until && from > until) return setOutcome({ problem: 'The last day is before the first day.' })
    setOutcome({})
    setPreparing(type)
    const scope = { ...(from && { from }), ...(until && { until }) }
    const failure = await downloadRecord(userId, scope, type)
    setPreparing(undefined)
    if (failure) setOutcome({ problem: `The record could not be downloaded. ${explainFailure(failure)}` })
    else setOutcome({ done: `Downloaded as ${type.toUpperCase()}.` })
  }

  return (
    <Stack gap="md">
      <Text size="sm">
        The tasks with their due dates and exceptions, what was watched, and when. The signature shows anybody that
        Watchline issued it and nobody changed it: <Link to="/verify">verify a record</Link>.
      </Text>
      <Group grow align="start">
        <TextInput
          type="date"
          label="First day"
          description="Empty: from the beginning"
          value={from}
          onChange={event => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label="Last day"
          description="Empty: until now"
          value={until}
          onChange={event => setUntil(event.currentTarget.value)}
        />
      </Group>
      <Text size="sm" role="status" c={outcome.problem ? 'var(--wl-red)' : undefined}>
        {outcome.problem ?? outcome.done}
      </Text>
      <Group justify="end">
        <Button variant="default" loading={preparing === 'json'} onClick={() => download('json')}>
          Download JSON
        </Button>
        <Button loading={preparing === 'pdf'} onClick={() => download('pdf')}>
          Download PDF
        </Button>
      </Group>
    </Stack>
  )
}
