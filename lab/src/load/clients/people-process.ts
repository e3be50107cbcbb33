// The process of the crew: started with the address, told what to do by its parent.
import { obeyParent } from '../child-process.ts'
import { createCrew } from './people.ts'

const [url, teams, trainees] = process.argv.slice(2)
const crew = await createCrew(url!, { teams: Number(teams), trainees: Number(trainees) })
obeyParent(crew)
