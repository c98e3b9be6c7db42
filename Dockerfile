# Builds Longhaul from a checkout:
#     docker build -t longhaul:0.1.0 .
# How to add your jobs, and what the container writes: docs/guides/containers.md

FROM maven:3.9-eclipse-temurin-25 AS build
# The commit, for `longhaul version`: --build-arg REVISION=$(git rev-parse --short=8 HEAD)
ARG REVISION=
WORKDIR /src
COPY . .
RUN mvn -B -ntp -q package -pl cli -am -DskipTests -Dspotless.check.skip -Dsbom.phase=package ${REVISION:+-Dbuild.stamp=+$REVISION}
# Without the programs of the embedded PostgreSQL, because containers use a PostgreSQL of their own, and without sources.
RUN mkdir /out \
    && tar xzf cli/target/longhaul-*.tar.gz -C /out --strip-components=1 --exclude='*/src' --exclude='*/examples' \
    && rm -f /out/lib/embedded-postgres-*.jar \
    && cp cli/target/longhaul.cdx.json /out/longhaul.cdx.json \
    && install -m 755 deploy/docker/healthcheck /out/bin/healthcheck

FROM eclipse-temurin:25-jre
LABEL org.opencontainers.image.title="Longhaul" \
    org.opencontainers.image.description="A job platform on PostgreSQL" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.source="https://longhaul.dev/longhaul.git"
COPY --from=build /out /opt/longhaul
# Only /tmp is written: the root file system may be read-only.
ENV HOME=/tmp PATH=/opt/longhaul/bin:/opt/java/openjdk/bin:/usr/local/bin:/usr/bin:/bin LONGHAUL_METRICS_PORT=9090
# Fails the build of an image that does not start; also creates the archive of classes for fast starts of commands.
RUN longhaul version
WORKDIR /tmp
USER 10001:10001
EXPOSE 8080 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["/opt/longhaul/bin/healthcheck"]
ENTRYPOINT ["/opt/longhaul/bin/longhaul"]
