import { useRef } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import styles from './claim-rules.module.css'
import { useGetClaimRulesQuery } from './claim-rules-api.ts'
import { RulesForm } from './rules-form.tsx'
import { UnappliedRules } from './unapplied-rules.tsx'

/** The rules that give people their role and team by the claims of the sign-in provider. */
export function ClaimRules() {
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  const { data, error, isFetching, refetch } = useGetClaimRulesQuery(undefined, { refetchOnMountOrArgChange: true })
  return (
    <section ref={section} tabIndex={-1} aria-labelledby="claim-rules" className={styles.page}>
      <div>
        <h2 id="claim-rules" className={styles.title}>
          Roles from your sign-in provider
        </h2>
        <p className={styles.dim}>
          At every sign-in the first rule that matches decides. People whom no rule matches keep their role and team;
          administrators are never changed.
        </p>
      </div>
      {error ? (
        <LoadFailed
          message="Couldn’t load the rules."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
          oldBelow={data !== undefined}
        />
      ) : null}
      {data ? (
        <>
          {/* A version that somebody else saved replaces the form. */}
          <RulesForm key={data.version} saved={data} onReload={refetch} />
          <UnappliedRules problems={data.problems} count={data.problem_count} />
        </>
      ) : error ? null : (
        <SkeletonRows rows={4} height={96} />
      )}
    </section>
  )
}
