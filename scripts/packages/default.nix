# SPDX-License-Identifier: GPL-2.0
#
# Nix: the tool with its library, and the module for one kernel. tests/packages/arch.t has
# nix-instantiate evaluate it with packages that are strings; it was never built by Nix.
#
#   environment.systemPackages = [ (pkgs.callPackage ./scripts/packages { }).tool ];
#   boot.extraModulePackages =
#     [ ((pkgs.callPackage ./scripts/packages { }).module config.boot.kernelPackages.kernel) ];
{ lib, stdenv, pkg-config, python3, elfutils, json_c, libarchive, libiberty, libnl
, ncurses, openssl, xz, zstd }:

let
  source = ../..;
  versionLine = builtins.match ".*BID_VERSION \"([0-9.]+)\".*"
    (builtins.replaceStrings [ "\n" ] [ " " ] (builtins.readFile (source + "/module/version.h")));
  version = builtins.head versionLine;
in {
  tool = stdenv.mkDerivation {
    pname = "buildid";
    inherit version;
    src = source;
    nativeBuildInputs = [ pkg-config python3 ];
    buildInputs = [ elfutils json_c libarchive libiberty libnl ncurses openssl xz zstd ];
    buildPhase = "make -C tool";
    installPhase = "make -C tool install PREFIX=$out";
    meta = {
      description = "Names the content of every executable mapping";
      license = [ lib.licenses.gpl2Only lib.licenses.lgpl21Plus ];
      platforms = [ "x86_64-linux" "aarch64-linux" ];
    };
  };

  module = kernel: stdenv.mkDerivation {
    pname = "buildid-module";
    version = "${version}-${kernel.version}";
    src = source;
    nativeBuildInputs = kernel.moduleBuildDependencies;
    buildPhase = "make module KDIR=${kernel.dev}/lib/modules/${kernel.modDirVersion}/build";
    installPhase = ''
      install -D -m 644 -t $out/lib/modules/${kernel.modDirVersion}/updates \
        build/${kernel.modDirVersion}/buildid.ko
    '';
    meta = {
      description = "Names the content of every executable mapping, kernel module";
      license = lib.licenses.gpl2Only;
      platforms = [ "x86_64-linux" "aarch64-linux" ];
    };
  };
}
