# `make help` lists every target with a text after ##.
NODE := "$(CURDIR)/node_modules/.bin/node"
INSTALLED := node_modules/.watchline-installed
# Node keeps compiled code here, so that every process after the first starts in two thirds of the time.
export NODE_COMPILE_CACHE := $(CURDIR)/.cache/compile

.PHONY: help start demo up down test bench faults load fuzz screens sbom check format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

start: $(INSTALLED) ## run Watchline on this machine in one process (PORT, default 8080; DATA_DIR, default data/)
	@exec $(NODE) tools/src/start/main.ts

demo: $(INSTALLED) ## like start, with a demo organisation
	@exec $(NODE) tools/src/start/main.ts --demo

up: $(INSTALLED) ## run gateway and services as separate processes on RabbitMQ, Redis and MongoDB (DEMO=1; REPLICAS="chat=3")
	@exec $(NODE) tools/src/up/main.ts up

down: $(INSTALLED) ## stop what `make up` started
	@exec $(NODE) tools/src/up/main.ts down

test: $(INSTALLED) ## run all checks and tests on real servers (ARGS="services/auth" for some tests only)
	@exec $(NODE) tools/src/checks/run-tests.ts $(ARGS)

bench: $(INSTALLED) ## measure the services against a reference build (ROUNDS=1 is quick; ONLY=track or gateway; RATE=60; VIDEOS=1,500; or one of DASHBOARD=1 LISTS=1 TASKS=1 POLLS=1 STREAM=1 CHAT=1; KILL=2 kills under load)
	@exec $(NODE) lab/src/bench/main.ts

faults: $(INSTALLED) ## inject faults under load and check that nothing is lost (MAILS=10000 for reminders by mail; CYCLES=20 SEED=… ONLY=broker,chat BROKEN=publish-and-forget)
	@exec $(NODE) lab/src/faults/main.ts

load: $(INSTALLED) ## measure the whole system: rolling update, broker outage, replicas, isolation, a growing number of trainees (ONLY=rolling,outage,replicas,isolation,trainees; ROUNDS, SECONDS, SCALE, STEPS, SYSTEMS, TOGETHER)
	@exec $(NODE) lab/src/load/main.ts

fuzz: $(INSTALLED) ## call every operation with generated input, for every role (ONLY=supervisor,admin SECONDS=120 SEED=1)
	@exec $(NODE) lab/src/fuzz/main.ts

sbom: $(INSTALLED) ## write the bill of materials (CycloneDX) and the list of licences of what is installed, into sbom/
	@exec $(NODE) tools/src/sbom/main.ts

screens: $(INSTALLED) ## take pictures of every screen of the demo into docs/screens (ONLY=trainee,admin WIDTHS=390,1280 BASE_URL of a running demo)
	@exec $(NODE) tools/src/checks/with-servers.ts -- $(NODE) e2e/src/screens/take.ts

check: $(INSTALLED) ## check format, lint, types, walls between folders, layout, comment width, stored secrets and deployment files
	@exec npm run --silent check

format: $(INSTALLED) ## format all files and fix what can be fixed
	@exec npm run --silent format

clean: ## remove installed, built and downloaded files; data/ stays
	rm -rf node_modules */node_modules services/*/node_modules shared/*/node_modules web/dist coverage .cache

# npm installs Node 24, so any Node can run npm here.
$(INSTALLED): package-lock.json
	@echo 'Installing dependencies (npm ci); the first time this takes a minute or two'
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $(INSTALLED)
