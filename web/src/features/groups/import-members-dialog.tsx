import { Button, FileButton } from '@mantine/core'
import type { Group, MemberProblem } from '@watchline/contracts/groups'
import { useRef, useState } from 'react'
import { StackedDialog } from '../../ui/controls/stacked-dialog.tsx'
import { formatCount, formatNumber } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { ProgressLine } from '../../ui/progress/progress-line.tsx'
import { type AddressLine, readAddressFile } from './address-file.ts'
import styles from './groups.module.css'
import { type ImportPreview, type LineProblem, useMemberImport } from './use-member-import.ts'

interface ImportMembersDialogProps {
  group: Group
  opened: boolean
  onClose: () => void
}

/** Adds the people of a file with email addresses, after a preview. */
export function ImportMembersDialog({ group, opened, onClose }: ImportMembersDialogProps) {
  return (
    <StackedDialog
      name="import-members"
      opened={opened}
      onClose={onClose}
      size="lg"
      title={`Add people from a file to “${group.name}”`}
    >
      <ImportMembers group={group} onClose={onClose} />
    </StackedDialog>
  )
}

interface ChosenFile {
  name: string
  lines: AddressLine[]
}

function ImportMembers({ group, onClose }: Pick<ImportMembersDialogProps, 'group' | 'onClose'>) {
  const alerts = useAlerts()
  const memberImport = useMemberImport(group)
  const [problem, setProblem] = useState<string>()
  const [file, setFile] = useState<ChosenFile>()
  const [preview, setPreview] = useState<ImportPreview>()
  const resetFile = useRef<() => void>(null)
  const { isSending, refusal, done } = memberImport

  async function choose(chosen: File | null) {
    // Without this, choosing the corrected file under the same name fires no event.
    resetFile.current?.()
    if (!chosen) return
    setPreview(undefined)
    setFile(undefined)
    setProblem(undefined)
    const content = await readAddressFile(chosen)
    if (!content.ok) return setProblem(content.problem)
    setFile({ name: chosen.name, lines: content.addresses })
    setPreview(await memberImport.check(content.addresses))
  }

  async function apply(checked: ImportPreview) {
    const added = await memberImport.apply(checked)
    if (added === undefined) return
    const missing = checked.matched - added
    const note =
      missing > 0 ? `. ${formatCount(missing, 'person was', 'people were')} added before or left meanwhile.` : ''
    alerts.succeed(`${formatCount(added, 'person', 'people')} added to “${group.name}”${note}`)
    onClose()
  }

  return (
    <div className={styles.stack}>
      <p>
        Choose a text or CSV file with the email addresses of people: one address a line, or a column “email”. Nothing
        changes until you confirm.
      </p>
      <div className={styles.actions}>
        <FileButton resetRef={resetFile} accept=".csv,.txt,text/csv,text/plain" onChange={choose}>
          {button => (
            <Button
              {...button}
              variant={preview ? 'default' : 'filled'}
              disabled={isSending}
              aria-describedby="address-file-problem"
            >
              {file ? 'Choose another file…' : 'Choose a file…'}
            </Button>
          )}
        </FileButton>
      </div>
      <p id="address-file-problem" role="alert" className={styles.problem}>
        {problem ?? refusal?.message}
      </p>
      {file && isSending ? (
        <ProgressLine
          label={preview ? `Adding the people of ${file.name}` : `Checking ${file.name}`}
          done={done}
          total={file.lines.length}
          valueText={`${formatNumber(done)} of ${formatCount(file.lines.length, 'line')}`}
        />
      ) : null}
      {file && preview ? <PreviewResult fileName={file.name} preview={preview} /> : null}
      <div className={styles.actions}>
        {preview && preview.matched > 0 ? (
          <Button onClick={() => apply(preview)} loading={isSending}>
            Add {formatCount(preview.matched, 'person', 'people')}
          </Button>
        ) : null}
        {file && !preview && !isSending ? (
          <Button onClick={async () => setPreview(await memberImport.check(file.lines))}>Check again</Button>
        ) : null}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </div>
  )
}

const shownProblems = 100

function PreviewResult({ fileName, preview }: { fileName: string; preview: ImportPreview }) {
  const { matched, members, problems } = preview
  const hiddenCount = problems.length - shownProblems
  return (
    <div className={styles.stack} role="status">
      <p>
        {fileName}: {formatCount(matched, 'person', 'people')} will be added.
        {members > 0 ? ` ${formatCount(members, 'person is a member', 'people are members')} already.` : null}
        {problems.length > 0
          ? ` ${formatCount(problems.length, 'line', 'lines')} ${problems.length === 1 ? 'adds' : 'add'} nobody:`
          : null}
      </p>
      {problems.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, so the keyboard must reach it
        <ul className={styles.problems} aria-label="Lines that add nobody" tabIndex={0}>
          {problems.slice(0, shownProblems).map(problem => (
            <li key={problem.line}>{describeProblem(problem)}</li>
          ))}
          {hiddenCount > 0 ? <li>and {formatCount(hiddenCount, 'more line')}</li> : null}
        </ul>
      ) : null}
    </div>
  )
}

const problemTexts: Record<MemberProblem, string> = {
  not_an_address: 'is not an email address',
  nobody: 'belongs to nobody in Watchline',
  several: 'is the address of several people; add the right one by name',
  repeated: 'is also in an earlier line',
  deactivated: 'belongs to a deactivated person',
  administrator: 'belongs to an administrator, who cannot be a member',
}

function describeProblem({ line, email, problem }: LineProblem): string {
  return `Line ${line}: “${email}” ${problemTexts[problem]}.`
}
