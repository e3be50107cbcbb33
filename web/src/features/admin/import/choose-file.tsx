import { Button } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type DragEvent, useState } from 'react'
import { formatNumber } from '../../../ui/dates/format.ts'
import { DownloadLink } from './download-link.tsx'
import { columnDescriptions, exampleRows, templateText } from './import-columns.ts'
import { importMaxCharacters } from './import-file.ts'
import styles from './people-import.module.css'
import { unfinishedImport } from './unfinished-import.ts'

interface ImportChooseProps {
  /** The reason why the previous file was rejected. */
  problem?: string
  onFile: (file: File) => void
  /** Opens an unfinished import. */
  onOpen: (id: string) => void
}

export function ChooseFile({ problem, onFile, onOpen }: ImportChooseProps) {
  const unfinished = unfinishedImport.get()
  return (
    <>
      <p className={styles.words}>
        Choose a CSV file with one person per line. It is checked first, and nothing changes until you confirm. If
        anything in it is wrong, nobody is imported.
      </p>
      {unfinished ? (
        <div className={styles.notice}>
          <p>
            Your import of <strong>{unfinished.fileName}</strong> is not finished.
          </p>
          <Button variant="default" onClick={() => onOpen(unfinished.id)}>
            Go back to it
          </Button>
        </div>
      ) : null}
      <FileField problem={problem} onFile={onFile} />
      <Instructions />
    </>
  )
}

function FileField({ problem: fileProblem, onFile }: Pick<ImportChooseProps, 'problem' | 'onFile'>) {
  const [isDragging, setDragging] = useState(false)
  const [isSeveral, setIsSeveral] = useState(false)
  const problem = isSeveral ? 'Choose one file at a time.' : fileProblem

  function chooseFiles(files: FileList | null) {
    const [file, secondFile] = files ?? []
    setIsSeveral(secondFile !== undefined)
    if (file && !secondFile) onFile(file)
  }

  function handleDrag(event: DragEvent) {
    event.preventDefault()
    setDragging(event.type !== 'dragleave')
  }

  function handleDrop(event: DragEvent) {
    handleDrag(event)
    setDragging(false)
    chooseFiles(event.dataTransfer.files)
  }

  return (
    <div>
      <label
        className={styles.drop}
        data-over={isDragging || undefined}
        onDragEnter={handleDrag}
        onDragOver={handleDrag}
        onDragLeave={handleDrag}
        onDrop={handleDrop}
      >
        <input
          type="file"
          accept=".csv,text/csv"
          className={styles.file}
          aria-describedby={problem ? 'file-limits file-problem' : 'file-limits'}
          aria-invalid={problem ? true : undefined}
          onChange={event => {
            chooseFiles(event.currentTarget.files)
            // Without this, choosing the corrected file under the same name fires no event.
            event.currentTarget.value = ''
          }}
        />
        <span className={styles.dropTitle}>Choose a CSV file</span>
        <span className={styles.dropWords} aria-hidden="true">
          or drop it here
        </span>
      </label>
      <p id="file-limits" className={styles.dim}>
        At most {formatNumber(limits.importMaxLines)} people and {formatNumber(importMaxCharacters / 1_000_000)} million
        characters (about 5 MB), saved as “CSV UTF-8”.
      </p>
      <p id="file-problem" role="alert" className={styles.problem}>
        {problem}
      </p>
    </div>
  )
}

function Instructions() {
  return (
    <div className={styles.columns}>
      <section aria-labelledby="import-columns">
        <h4 id="import-columns">The columns</h4>
        <p className={styles.dim}>
          The first line names them, in any order. Commas or semicolons stand between the cells.
        </p>
        <dl className={styles.terms}>
          {columnDescriptions.map(({ column, requirement, description }) => (
            <div key={column}>
              <dt>
                <code>{column}</code>
                <span className={styles.dim}>{requirement}</span>
              </dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-labelledby="import-example">
        <h4 id="import-example">An example</h4>
        <ul className={styles.example} aria-label="Lines of an example file">
          {exampleRows.map(cells => (
            <li key={cells[0]}>
              <code>{cells.join(',')}</code>
            </li>
          ))}
        </ul>
        <p>
          <DownloadLink fileName="people-template.csv" text={templateText}>
            Download a template
          </DownloadLink>
        </p>
        <p className={styles.dim}>
          Open it with any spreadsheet program and replace the example’s people with yours. Imported people sign in as
          usual; at the first sign-in with that verified email they have their role and team.
        </p>
      </section>
    </div>
  )
}
